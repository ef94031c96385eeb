// "/" puts the cursor into the search; a ladder wider than the screen begins at the marked box.
"use strict";

document.addEventListener("keydown", (event) => {
  const at = event.target;
  const writing = at instanceof HTMLElement && at.matches("input, textarea, select");
  if (event.key !== "/" || writing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.getElementById("find").focus();
});

const here = document.querySelector(".ladder .here");
if (here) here.closest(".ladder").scrollLeft = Math.max(0, here.getBBox().x - 40);

const map = document.querySelector(".map");
if (map) map.scrollLeft = (map.scrollWidth - map.clientWidth) / 2;
