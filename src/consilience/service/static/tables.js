// Where in a long table is the row that is meant? In the middle of what is seen of it.
for (const table of document.querySelectorAll("[data-whole-table]")) {
  const row = table.querySelector(".here");
  const cell = row?.querySelector(".meant");
  if (row) table.scrollTop = row.offsetTop - (table.clientHeight - row.offsetHeight) / 2;
  if (cell) table.scrollLeft = cell.offsetLeft - (table.clientWidth - cell.offsetWidth) / 2;
}
