// What does the page do once it is there? Each part in a module of its own.
import { start as startAsking } from "./asking.js";
import { start as startExamples } from "./examples.js";
import { start as startFigures } from "./figures.js";
import { start as startHistory } from "./history.js";
import { start as startKeys } from "./keys.js";
import { start as startPassages } from "./passages.js";
import { start as startReactions } from "./reactions.js";

startReactions();
startPassages();
startFigures();
startKeys();
startExamples();
startHistory();
startAsking();
