// Text with less contrast than WCAG AA asks for: 4.5, or 3 where it is large.
() => {
  const numbers = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const over = (top, under) => {
    const a = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map((k) => a * top[k] + (1 - a) * under[k]);
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(numbers(getComputedStyle(e).backgroundColor));
    const dark = document.documentElement.dataset.mantineColorScheme === 'dark';
    return layers.reverse().reduce((under, top) => (top.length ? over(top, under) : under), dark ? [0, 0, 0] : [255, 255, 255]);
  };
  const light = (c) => {
    const [r, g, b] = c.map((x) => { x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const own = [...element.childNodes].filter((n) => n.nodeType === 3 && n.data.trim()).map((n) => n.data.trim()).join(' ') || element.value;
    if (!own || typeof own !== 'string' || !box.width || !box.height || style.visibility === 'hidden') continue;
    if (element.closest('[disabled],[aria-disabled=true],script,style,svg,.mantine-Notification-root')) continue;
    let seen = 1;
    for (let e = element; e; e = e.parentElement) seen *= Number(getComputedStyle(e).opacity);
    const under = ground(element), text = numbers(style.color);
    const found = ratio(over([...text.slice(0, 3), (text[3] ?? 1) * seen], under), under);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (found < (large ? 3 : 4.5)) faint.push(`${own.slice(0, 40)}: ${found.toFixed(2)} (${style.color})`);
  }
  return [...new Set(faint)];
}
