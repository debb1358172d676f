// Goes into a test copy of a report, at its end: looks at the page as laid out and tells the page around
// it what is wrong.
addEventListener("load", () => {
  const findings = [];
  const found = (kind, what) => findings.push(kind + ": " + what);
  for (const e of window.early) found(...e);
  document.querySelectorAll("details").forEach((d) => { d.open = true; });
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found("page scrolls sideways", root.scrollWidth + " > " + innerWidth);

  // Text in a chart: inside the chart, and not over other text. One and a half pixels are for rounding.
  const visible = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0; };
  let texts = 0;
  let charts = 0;
  for (const svg of [...document.querySelectorAll("svg")].filter(visible)) {
    charts += 1;
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
    texts += boxes.length;
    boxes.forEach(([text, a], at) => {
      if (a.left < frame.left - 1.5 || a.right > frame.right + 1.5 || a.top < frame.top - 1.5 || a.bottom > frame.bottom + 1.5)
        found("text leaves its chart", text);
      for (const [other, b] of boxes.slice(at + 1)) {
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (width > 1.5 && height > 1.5) found("text over text", text + " / " + other);
      }
    });
    for (const mark of svg.querySelectorAll("rect, circle, path")) {
      const r = mark.getBoundingClientRect();
      if (r.left < frame.left - 8 || r.right > frame.right + 8 || r.top < frame.top - 8 || r.bottom > frame.bottom + 8)
        found("a mark leaves its chart", mark.outerHTML.slice(0, 90));
    }
    const box = svg.closest(".scroll");
    if (!box && frame.right > innerWidth + 0.5) found("a chart is cut off", svg.getAttribute("aria-label"));
  }

  // What a table is read for is seen without scrolling it.
  for (const head of [...document.querySelectorAll("th.needed")].filter(visible)) {
    const r = head.getBoundingClientRect();
    if (r.right > innerWidth + 0.5) found("a column is cut off", head.textContent + " ends at " + r.right);
  }

  // Contrast of every text with the page, by the WCAG formula; 4.5 is what small text needs.
  const parse = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = parse(colour).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = getComputedStyle(document.body).backgroundColor;
  const faint = new Set();
  for (const e of document.querySelectorAll("h1, h2, h3, p, b, span, dt, dd, li, th, td, figcaption, summary, svg text")) {
    const style = getComputedStyle(e);
    const colour = e instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [luminance(colour), luminance(page)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(colour + " on " + page);
  }
  faint.forEach((f) => found("too faint", f));

  parent.answer(Number(window.name), { width: innerWidth, page, texts, charts, findings });
});
