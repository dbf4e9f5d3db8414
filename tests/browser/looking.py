"""What is asked of a page: is a picture drawn, is every text legible, does anything stand out of its cell."""

from __future__ import annotations

DRAWN = """
canvas => {
  const {width, height} = canvas;
  const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
  const seen = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    seen.set(key, (seen.get(key) || 0) + 1);
  }
  const most = Math.max(...seen.values());
  return {width, height, colours: seen.size, marked: 1 - most / (width * height)};
}
"""
"""Size of a canvas, how many colours it holds, and which share of it is not its commonest colour."""

CONTRAST = """
root => {
  const parse = text => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (top, under) => {
    const a = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a));
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const found = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), element = walk.currentNode.parentElement;
    if (!text || !element.getClientRects().length || element.closest('style,script,svg,:disabled,.jp-OutputPrompt')) continue;
    const under = ground(element), ink = over(parse(getComputedStyle(element).color), under);
    const [one, two] = [light(under), light(ink)].sort((a, b) => b - a);
    found.push({text: text.slice(0, 60), ratio: (one + 0.05) / (two + 0.05)});
  }
  for (const field of root.querySelectorAll('input:not([type=checkbox]),textarea,select')) {
    if (!field.getClientRects().length || field.disabled) continue;
    const under = ground(field), ink = over(parse(getComputedStyle(field).color), under);
    const [one, two] = [light(under), light(ink)].sort((a, b) => b - a);
    found.push({text: 'field ' + field.value.slice(0, 40), ratio: (one + 0.05) / (two + 0.05)});
  }
  return found;
}
"""
"""Contrast of every visible text and field below an element, computed from the colours in force."""

STANDS_OUT = """
root => {
  const limit = root.getBoundingClientRect().right + 1;
  const scrolls = e => {
    for (let at = e.parentElement; at && at !== root; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.getBoundingClientRect().right <= limit
          && at.matches('div[style*="overflow-x"]')) return true;
    return false;
  };
  return [...root.querySelectorAll('table,canvas,img,button,input,textarea,select,pre')]
    .filter(e => e.getClientRects().length && e.getBoundingClientRect().right > limit && !scrolls(e))
    .map(e => e.tagName + ' ' + (e.textContent || e.value || '').trim().slice(0, 40));
}
"""
"""What reaches beyond the right edge of an element, where a reader cannot see it; a wide table in a box of its own scrolls."""

ACTING = """
root => [...root.querySelectorAll('script,iframe,object,embed,form:not(.vega-bindings),base,link,meta,[src]:not([src^="data:"])')]
  .concat([...root.querySelectorAll('*')].filter(e =>
    [...e.attributes].some(a => /^on/i.test(a.name) || /^\\s*javascript:/i.test(a.value))))
  .map(e => e.outerHTML.slice(0, 120))
"""
"""Elements below an element that could run or load something."""
