// Shows the values of the points nearest to the pointer, the finger or, with the arrow keys, the focus.
// Without it the page is complete but for that.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const space = "http://www.w3.org/2000/svg";
  const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
  const real = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 5 });
  const shown = (v) => (Number.isInteger(v) ? whole.format(v) : real.format(v));

  // from a value to its place in the drawing, as the chart was drawn
  function place(axis, value, from, to) {
    const along = axis.log ? Math.log10 : (v) => v;
    const part = (along(value) - along(axis.low)) / (along(axis.high) - along(axis.low));
    return from + part * (to - from);
  }

  function nearest(count, distance) {
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < count; i++) {
      const d = distance(i);
      if (d < least) { least = d; best = i; }
    }
    return best < 0 ? null : { i: best, d: least };
  }

  function element(parent, name, attributes) {
    const made = document.createElementNS(space, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    parent.appendChild(made);
    return made;
  }

  function attach(svg, chart) {
    const [left, top, right, bottom] = chart.frame;
    const series = data.series[chart.series];
    const boxes = series.some((s) => s.kind === "boxes");
    const overTrials = chart.x.label === "trials";
    const px = (v) => place(chart.x, v, left, right);
    const py = (v) => place(chart.y, v, bottom, top);
    const figure = svg.closest("figure");
    const view = svg.viewBox.baseVal;
    let tip = null;
    let marks = null;
    let at = null;

    function hide() {
      if (tip) tip.hidden = true;
      if (marks) marks.replaceChildren();
    }

    // what there is to say about a place of the drawing: rows of name and values, and where they are
    function find(x, y) {
      const found = [];
      for (const s of series) {
        if (s.kind === "boxes") {
          const distance = (i) => {
            const b = s.boxes[i];
            const [x0, x1, y0, y1] = [px(b[0]), px(b[1]), py(b[3]), py(b[2])];
            return Math.hypot(Math.max(x0 - x, 0, x - x1), Math.max(y0 - y, 0, y - y1));
          };
          const hit = nearest(s.boxes.length, distance);
          if (hit) found.push({ d: hit.d, s, box: s.boxes[hit.i] });
        } else {
          const distance = (i) => {
            const [a, b] = [px(s.x[i]), py(s.y[i])];
            if (!Number.isFinite(a) || !Number.isFinite(b)) return Infinity;
            return overTrials ? Math.abs(a - x) : Math.hypot(a - x, b - y);
          };
          const hit = nearest(s.x.length, distance);
          if (hit) found.push({ d: hit.d, s, x: s.x[hit.i], y: s.y[hit.i] });
        }
      }
      if (boxes || !overTrials) {
        found.sort((a, b) => a.d - b.d);
        found.length = Math.min(found.length, 1);
      }
      return found;
    }

    function row(name, value, ink, raw) {
      const line = document.createElement("span");
      const label = document.createElement("i");
      label.textContent = name;
      if (ink) label.style.setProperty("--ink", "var(--" + ink + ")");
      const number = document.createElement("strong");
      number.textContent = value;
      if (raw !== undefined) number.dataset.value = raw;
      line.append(label, number);
      tip.append(line);
    }

    function show(x, y) {
      at = [x, y];
      const found = find(x, y);
      if (!found.length) return hide();
      if (!tip) {
        tip = figure.querySelector(".tip") || document.createElement("div");
        tip.className = "tip";
        tip.setAttribute("role", "status");
        figure.append(tip);
        marks = element(svg, "g", { class: "marks" });
      }
      tip.replaceChildren();
      marks.replaceChildren();
      tip.hidden = false;
      let anchor = [x, y];
      const first = found[0];
      if (first.box) {
        const b = first.box;
        const heading = document.createElement("b");
        heading.textContent = b[4];
        tip.append(heading);
        const [x0, x1, y0, y1] = [px(b[0]), px(b[1]), py(b[3]), py(b[2])];
        element(marks, "rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, fill: "none", stroke: "var(--text)", "stroke-width": 6 });
        anchor = [(x0 + x1) / 2, y0];
      } else {
        const heading = document.createElement("b");
        heading.textContent = chart.x.label + " " + shown(first.x);
        heading.dataset.x = first.x;
        tip.append(heading);
        if (overTrials) {
          element(marks, "line", { x1: px(first.x), x2: px(first.x), y1: top, y2: bottom, stroke: "var(--axis)", "stroke-width": 3 });
          found.sort((a, b) => b.y - a.y);
          // of many curves, those near the pointer
          if (found.length > 12) {
            const near = [...found].sort((a, b) => Math.abs(py(a.y) - y) - Math.abs(py(b.y) - y)).slice(0, 12);
            found.splice(0, found.length, ...found.filter((f) => near.includes(f)));
          }
        }
        for (const f of found) {
          row(f.s.name || chart.y.label, overTrials ? shown(f.y) : chart.y.label + " " + shown(f.y), f.s.ink, f.y);
          if (py(f.y) < top - 1) continue; // it has left the chart
          element(marks, "circle", { cx: px(f.x), cy: py(f.y), r: 16, fill: "var(--" + f.s.ink + ")", stroke: "var(--paper)", "stroke-width": 6 });
        }
        anchor = [px(first.x), Math.max(top, py(found[0].y))];
      }
      // beside the place, inside the figure
      const canvas = svg.getBoundingClientRect();
      const outer = figure.getBoundingClientRect();
      const scale = canvas.width / view.width;
      const cx = canvas.left - outer.left + anchor[0] * scale;
      const cy = canvas.top - outer.top + anchor[1] * scale;
      const wide = tip.offsetWidth;
      const beside = cx + 14 + wide > outer.width ? cx - 14 - wide : cx + 14;
      tip.style.left = Math.max(0, Math.min(beside, outer.width - wide)) + "px";
      tip.style.top = Math.max(0, Math.min(cy - 10, outer.height - tip.offsetHeight)) + "px";
    }

    function pointed(event) {
      const box = svg.getBoundingClientRect();
      const scale = view.width / box.width;
      show((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    }

    svg.addEventListener("pointermove", pointed);
    svg.addEventListener("pointerdown", pointed);
    // a finger that is lifted leaves what it found
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
    svg.addEventListener("blur", hide);
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) show(right, (top + bottom) / 2); });
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (event.key === "Escape") return hide();
      if (!step || (overTrials && step[1])) return;
      event.preventDefault();
      const [x, y] = at || [right, bottom];
      const to = [x + step[0] * (right - left) / 40, y + step[1] * (bottom - top) / 20];
      show(Math.min(right, Math.max(left, to[0])), Math.min(bottom, Math.max(top, to[1])));
    });
  }

  for (const id in data.charts) {
    const svg = document.getElementById(id);
    if (svg) attach(svg, data.charts[id]);
  }

  // a slider over the steps of a run of two features; paper shows the end
  function step(svg, steps) {
    const figure = svg.closest("figure");
    const now = svg.querySelector(".now");
    const bar = document.createElement("div");
    bar.className = "steps";
    const label = document.createElement("label");
    label.textContent = "Mistake by mistake";
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = 0;
    slider.max = steps.length - 1;
    slider.value = steps.length - 1;
    slider.id = svg.id + "-step";
    label.htmlFor = slider.id;
    const said = document.createElement("output");
    said.htmlFor = slider.id;
    bar.append(label, slider, said);
    figure.querySelector(".canvas").after(bar);
    figure.classList.add("stepping");
    function show() {
      const { lines, row, said: text } = steps[slider.value];
      now.replaceChildren();
      lines.forEach(([x1, y1, x2, y2], i) => element(now, "line", { x1, y1, x2, y2, class: i > 0 ? "band" : "" }));
      if (row) element(now, "circle", { cx: row[0], cy: row[1], r: 26, class: "row" });
      said.textContent = text;
      slider.setAttribute("aria-valuetext", text);
    }
    slider.addEventListener("input", show);
    show();
  }
  for (const id in data.planes) {
    const svg = document.getElementById(id);
    if (svg && data.planes[id].steps.length > 1) step(svg, data.planes[id].steps);
  }

  // a link to a learner opens it; paper shows all of them
  function open() {
    const aim = location.hash && document.getElementById(location.hash.slice(1));
    if (aim && aim.tagName === "DETAILS") aim.open = true;
  }
  addEventListener("hashchange", open);
  open();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const d of closed) d.open = true;
  });
  addEventListener("afterprint", () => {
    for (const d of closed) d.open = false;
    closed = [];
  });
})();
