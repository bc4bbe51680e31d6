(function () {
  "use strict";
  var table = document.querySelector(".questions");
  if (!table) return;
  var body = table.tBodies[0];
  var rows = Array.prototype.slice.call(body.rows);
  var words = document.getElementById("words");
  var outcome = document.getElementById("outcome");
  var shown = document.getElementById("shown");
  function filter() {
    var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    var count = 0;
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      var fits = wanted.every(function (word) { return text.indexOf(word) >= 0; });
      var kinds = row.dataset.kinds.split(" ");
      fits = fits && (outcome.value === "all" || kinds.indexOf(outcome.value) >= 0);
      row.hidden = !fits;
      count += fits ? 1 : 0;
    });
    shown.textContent = count + " of " + rows.length + " questions";
  }
  function sort(head, column) {
    var down = head.getAttribute("aria-sort") !== "descending";
    table.querySelectorAll("thead th").forEach(function (one) { one.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.sort(function (a, b) {
      var x = a.cells[column].dataset.value, y = b.cells[column].dataset.value;
      var order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
      return down ? -order : order;
    });
    rows.forEach(function (row) { body.appendChild(row); });
  }
  function reveal() {
    var row = location.hash && document.getElementById(location.hash.slice(1));
    if (row && row.hidden) { words.value = ""; outcome.value = "all"; filter(); row.scrollIntoView(); }
  }
  function copy(button) {
    var code = button.parentNode.querySelector("code");
    function told() { button.textContent = "copied"; setTimeout(function () { button.textContent = "copy"; }, 1200); }
    function byHand() {
      var range = document.createRange();
      range.selectNodeContents(code);
      var selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      if (document.execCommand("copy")) told();
    }
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(told, byHand);
    else byHand();
  }
  document.querySelector(".tools").hidden = false;
  words.addEventListener("input", filter);
  outcome.addEventListener("change", filter);
  table.querySelectorAll("thead th").forEach(function (head, column) {
    head.querySelector("button").addEventListener("click", function () { sort(head, column); });
  });
  document.addEventListener("click", function (event) {
    if (event.target.className === "copy") copy(event.target);
  });
  window.addEventListener("hashchange", reveal);
  filter();
  reveal();
})();
