// Why did a stream of events end before it was whole?

// A refusal has a status and no events: the same address, read as text, says why.
async function refusal(address) {
  try {
    const reply = await fetch(address, { headers: { Accept: "application/json" } });
    if (!reply.ok) return (await reply.json()).error.message;
    reply.body.cancel();
    return "The server did not answer.";
  } catch {
    return "The server cannot be reached.";
  }
}

// Close a stream that failed, and say why; `lost` where the connection broke.
export async function ended(stream, event, address, lost) {
  const refused = stream.readyState === EventSource.CLOSED;
  stream.close(); // an EventSource would come back by itself and ask a second time
  if (event.data) return JSON.parse(event.data).error.message;
  return refused ? refusal(address) : lost;
}
