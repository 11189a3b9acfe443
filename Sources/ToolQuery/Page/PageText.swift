/// Constant parts of the HTML page.
enum PageText {
    static let head: StaticString = #"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
        <title>Realm file</title>
        <style>
        :root { color-scheme: light dark; --line: #d5d8de; --soft: #f3f4f7; --text: #1d2129; --dim: #6b7280; --link: #1f5fbf; --mark: #e4ecfa; --back: #fff; }
        @media (prefers-color-scheme: dark) { :root { --line: #383d47; --soft: #22262d; --text: #e5e7eb; --dim: #9aa3b2; --link: #7fb0ff; --mark: #2b3a55; --back: #181b20; } }
        * { box-sizing: border-box; }
        body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 16rem 1fr; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); }
        header { grid-column: 1 / 3; padding: .6rem 1rem; border-bottom: 1px solid var(--line); display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap; }
        header h1 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
        header span, .dim { color: var(--dim); }
        nav { border-right: 1px solid var(--line); overflow: auto; padding: .5rem; }
        nav a { display: flex; justify-content: space-between; gap: .5rem; padding: .25rem .5rem; border-radius: 4px; color: inherit; text-decoration: none; }
        nav a b { font-weight: inherit; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        nav a.current { background: var(--mark); font-weight: 600; }
        main { overflow: hidden; display: flex; flex-direction: column; min-width: 0; }
        .bar { padding: .5rem 1rem; display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; border-bottom: 1px solid var(--line); }
        .bar h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
        .bar input { flex: 1; min-width: 8rem; max-width: 24rem; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: 4px; background: var(--back); color: inherit; font: inherit; }
        .grid { flex: 1; overflow: auto; position: relative; }
        table { border-collapse: collapse; }
        .grid table { table-layout: fixed; }
        .grid th { position: sticky; top: 0; z-index: 1; background: var(--soft); text-align: left; cursor: pointer; user-select: none; }
        .grid th small { display: block; font-weight: normal; color: var(--dim); overflow: hidden; text-overflow: ellipsis; }
        .grid th, .grid td { border-right: 1px solid var(--line); border-bottom: 1px solid var(--line); padding: 0 .5rem; height: 28px; width: 160px; max-width: 160px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .grid th { height: 44px; }
        .grid td.number { text-align: right; font-variant-numeric: tabular-nums; }
        .grid tr.current td { background: var(--mark); }
        .null { color: var(--dim); font-style: italic; }
        a { color: var(--link); }
        aside { border-top: 1px solid var(--line); max-height: 45%; overflow: auto; padding: .5rem 1rem; }
        aside table td { vertical-align: top; padding: .1rem .75rem .1rem 0; overflow-wrap: anywhere; }
        aside table td:first-child { color: var(--dim); white-space: nowrap; }
        details { margin-left: .25rem; }
        summary { cursor: pointer; color: var(--dim); }
        .diagram { flex: 1; overflow: auto; }
        svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
        svg text.type { fill: var(--dim); }
        svg rect { fill: var(--soft); stroke: var(--line); }
        svg path { fill: none; stroke: var(--dim); }
        svg .title { font-weight: 600; cursor: pointer; }
        </style>
        </head>
        <body>
        <header><h1 id="file"></h1><span id="facts"></span></header>
        <nav id="classes"></nav>
        <main id="main"></main>

        """#

    static let script: StaticString = #"""
        'use strict';
        (() => {
          const data = JSON.parse(document.getElementById('data').textContent);
          const classes = new Map(data.classes.map((c) => [c.name, c]));
          const rowHeight = 28;

          /** An element with attributes and children; strings become text, never markup. */
          function el(name, attributes, ...children) {
            const isPicture = ['svg', 'rect', 'text', 'path', 'g', 'defs', 'marker', 'title'].includes(name);
            const node = isPicture
              ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
            for (const [key, value] of Object.entries(attributes || {})) {
              if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
              else node.setAttribute(key, value);
            }
            node.append(...children);
            return node;
          }

          const keyOf = (c, row) => (c.primaryKey === null ? row['_key'] : row[c.primaryKey]);
          const address = (...parts) => '#/' + parts.map(encodeURIComponent).join('/');

          function linkTo(target, key) {
            const c = classes.get(target);
            const text = target + ' ' + String(key);
            if (!c || typeof key === 'object') return el('span', {}, text);
            return el('a', { href: address(target, JSON.stringify(key)), title: text }, String(key));
          }

          /** A value as text, for cells, sorting and the filter. */
          function textOf(value) {
            if (value === null || value === undefined) return 'null';
            if (typeof value === 'string') return value;
            return typeof value === 'object' ? JSON.stringify(value) : String(value);
          }

          function cell(property, value) {
            if (value === null || value === undefined) return el('span', { class: 'null' }, 'null');
            const target = property.target && classes.get(property.target);
            if (target && target.kind !== 'embedded' && property.collection === null) {
              return linkTo(property.target, value);
            }
            if (Array.isArray(value)) return el('span', { class: 'dim' }, `${value.length} element${value.length === 1 ? '' : 's'}`);
            if (typeof value === 'object') return el('span', { class: 'dim' }, '{ ' + Object.keys(value).length + ' }');
            return el('span', {}, textOf(value).slice(0, 200));
          }

          /** A value that unfolds. */
          function tree(property, value, depth) {
            const target = property && property.target && classes.get(property.target);
            const isLink = target && target.kind !== 'embedded';
            if (value === null || value === undefined) return el('span', { class: 'null' }, 'null');
            if (isLink && typeof value !== 'object') return linkTo(property.target, value);
            if (typeof value !== 'object') return el('span', {}, textOf(value));
            const entries = Object.entries(value);
            const label = Array.isArray(value) ? `[ ${value.length} ]` : `{ ${entries.length} }`;
            const node = el('details', depth < 1 && entries.length <= 20 ? { open: '' } : {}, el('summary', {}, label));
            let isFilled = false;
            const fill = () => {
              if (isFilled) return;
              isFilled = true;
              const body = el('table');
              for (const [key, item] of entries.slice(0, 1000)) {
                const inner = Array.isArray(value) || (property && property.collection === 'dictionary')
                  ? (property ? { ...property, collection: null } : null)
                  : target ? target.properties.find((p) => p.name === key) : null;
                body.append(el('tr', {}, el('td', {}, key), el('td', {}, tree(inner, item, depth + 1))));
              }
              if (entries.length > 1000) body.append(el('tr', {}, el('td', {}, `and ${entries.length - 1000} more`)));
              node.append(body);
            };
            node.addEventListener('toggle', fill);
            if (node.open) fill();
            return node;
          }

          const main = document.getElementById('main');
          const nav = document.getElementById('classes');

          function showNavigation(current) {
            nav.replaceChildren(
              el('a', { href: '#/', class: current === null ? 'current' : '' }, el('b', {}, 'Diagram')),
              ...data.classes.map((c) => el(
                'a', { href: address(c.name), class: current === c.name ? 'current' : '', title: c.name },
                el('b', {}, c.name), el('span', { class: 'dim' }, c.kind === 'embedded' ? 'embedded' : c.count.toLocaleString('en')))));
          }

          const views = new Map();

          /** State of a class's table: the order of its rows and what the filter leaves. */
          function viewOf(c) {
            if (!views.has(c.name)) {
              views.set(c.name, { order: c.rows.map((_, i) => i), rows: null, sorted: null, isUp: true, filter: '', texts: null });
            }
            return views.get(c.name);
          }

          function sort(c, view, name) {
            view.isUp = view.sorted === name ? !view.isUp : true;
            view.sorted = name;
            const sign = view.isUp ? 1 : -1;
            const property = c.properties.find((p) => p.name === name);
            const value = (i) => c.rows[i][name];
            const rank = (v) => (v === null || v === undefined ? 0 : 1);
            view.order = c.rows.map((_, i) => i);
            view.order.sort((a, b) => {
              const [x, y] = [value(a), value(b)];
              if (rank(x) !== rank(y)) return sign * (rank(x) - rank(y));
              if (rank(x) === 0) return a - b;
              let result;
              if (typeof x === 'number' && typeof y === 'number') result = x - y;
              else if (property && property.collection !== null) result = Object.keys(x).length - Object.keys(y).length;
              else { const [s, t] = [textOf(x), textOf(y)]; result = s < t ? -1 : s > t ? 1 : 0; }
              return result === 0 ? a - b : sign * result;
            });
            view.rows = null;
          }

          function rowsOf(c, view) {
            if (view.rows) return view.rows;
            if (view.filter === '') return (view.rows = view.order);
            if (!view.texts) view.texts = c.rows.map((row) => Object.values(row).map(textOf).join('\u0001').toLowerCase());
            const wanted = view.filter.toLowerCase();
            return (view.rows = view.order.filter((i) => view.texts[i].includes(wanted)));
          }

          function showClass(c, key) {
            const view = viewOf(c);
            const columns = c.primaryKey === null && c.kind !== 'embedded'
              ? [{ name: '_key', type: 'object key', target: null, collection: null, isNumber: true }, ...c.properties] : c.properties;
            const status = el('span', { class: 'dim', id: 'status' });
            const filter = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter', id: 'filter' });
            filter.value = view.filter;
            const spacer = el('div');
            const head = el('tr');
            const body = el('tbody');
            const table = el('table', { style: `width:${columns.length * 160}px` }, el('thead', {}, head), body);
            const grid = el('div', { class: 'grid', tabindex: '0' }, table, spacer);
            const panel = el('aside');
            panel.hidden = true;
            let current = -1;
            let first = -1;

            function open(i) {
              current = i;
              const row = c.rows[i];
              panel.replaceChildren(el('table', {}, ...columns.map((p) => el(
                'tr', {}, el('td', {}, p.name), el('td', {}, tree(p, row[p.name], 0))))));
              panel.hidden = false;
              draw(true);
            }

            /** Puts the rows that can be seen into the table, and space for the others. */
            function draw(isForced) {
              const rows = rowsOf(c, view);
              const height = grid.clientHeight || 600;
              const start = Math.max(0, Math.min(Math.floor(grid.scrollTop / rowHeight) - 20, rows.length - 1));
              if (!isForced && Math.abs(start - first) < 10 && first >= 0) return;
              first = start;
              const end = Math.min(rows.length, start + Math.ceil(height / rowHeight) + 40);
              const above = el('tr', {}, el('td', { style: `height:${start * rowHeight}px;padding:0;border:0`, colspan: columns.length }));
              body.replaceChildren(...(start > 0 ? [above] : []), ...rows.slice(start, end).map((i) => el(
                'tr', { class: i === current ? 'current' : '', onclick: () => open(i) },
                ...columns.map((p) => el('td', p.isNumber ? { class: 'number' } : {}, cell(p, c.rows[i][p.name]))))));
              spacer.style.height = (rows.length - end) * rowHeight + 'px';
              const shown = rows.length.toLocaleString('en');
              const held = c.rows.length.toLocaleString('en');
              status.textContent = c.kind === 'embedded' ? `${c.count.toLocaleString('en')} objects, inside their parents`
                : `${shown} of ${held}` + (c.rows.length < c.count ? `; the file has ${c.count.toLocaleString('en')}, the page the first ${held}` : '');
            }

            function drawHead() {
              head.replaceChildren(...columns.map((p) => el(
                'th', { title: p.name + ': ' + p.type, onclick: () => { sort(c, view, p.name); grid.scrollTop = 0; drawHead(); draw(true); } },
                p.name + (view.sorted === p.name ? (view.isUp ? ' \u25B2' : ' \u25BC') : ''),
                el('small', {}, p.type + (p.name === c.primaryKey ? ' key' : p.isIndexed ? ' indexed' : '')))));
            }

            filter.addEventListener('input', () => { view.filter = filter.value; view.rows = null; grid.scrollTop = 0; draw(true); });
            grid.addEventListener('scroll', () => draw(false));
            window.onresize = () => draw(true);
            main.replaceChildren(el('div', { class: 'bar' }, el('h2', {}, c.name), filter, status), grid, panel);
            drawHead();
            draw(true);
            if (key !== undefined) {
              const index = c.rows.findIndex((row) => JSON.stringify(keyOf(c, row)) === key);
              if (index < 0) {
                status.textContent = `no object ${key} among the ${c.rows.length.toLocaleString('en')} on this page`;
              } else {
                view.filter = filter.value = '';
                view.rows = null;
                grid.scrollTop = Math.max(0, rowsOf(c, view).indexOf(index) * rowHeight - 100);
                open(index);
              }
            }
          }

          function showDiagram() {
            const width = 220, gap = 80, line = 18, most = 14;
            const perRow = Math.max(1, Math.ceil(Math.sqrt(data.classes.length)));
            const boxes = new Map();
            let y = 20, tallest = 0;
            const picture = el('svg', { role: 'img' }, el('title', {}, 'Class diagram'));
            data.classes.forEach((c, i) => {
              if (i > 0 && i % perRow === 0) { y += tallest + gap; tallest = 0; }
              const height = 30 + line * Math.min(c.properties.length, most + 1);
              boxes.set(c.name, { x: 20 + (i % perRow) * (width + gap), y, height });
              tallest = Math.max(tallest, height);
            });
            for (const c of data.classes) {
              for (const p of c.properties) {
                const [from, to] = [boxes.get(c.name), boxes.get(p.target)];
                if (!to) continue;
                const at = Math.min(c.properties.indexOf(p), most);
                const [x1, y1] = [from.x + width, from.y + 36 + at * line];
                const isRight = to.x >= from.x + width;
                const [x2, y2] = [isRight ? to.x : to.x + width, to.y + 14];
                const path = el('path', { d: `M${x1},${y1} C${x1 + 50},${y1} ${isRight ? x2 - 50 : x2 + 50},${y2} ${x2},${y2}` });
                if (p.collection !== null) path.setAttribute('stroke-dasharray', '5 3');
                path.append(el('title', {}, `${c.name}.${p.name}: ${p.type}`));
                picture.append(path);
              }
            }
            for (const c of data.classes) {
              const box = boxes.get(c.name);
              const short = (text) => (text.length > 30 ? text.slice(0, 29) + '\u2026' : text);
              picture.append(
                el('rect', { x: box.x, y: box.y, width, height: box.height, rx: 5 }),
                el('text', { x: box.x + 10, y: box.y + 19, class: 'title', onclick: () => { location.hash = address(c.name); } },
                  short(c.name) + (c.kind === 'class' ? '' : ` (${c.kind})`)));
              c.properties.slice(0, most).forEach((p, i) => picture.append(
                el('text', { x: box.x + 10, y: box.y + 40 + i * line, class: 'type' }, short(`${p.name}: ${p.type}`))));
              if (c.properties.length > most) {
                picture.append(el('text', { x: box.x + 10, y: box.y + 40 + most * line, class: 'type' }, `and ${c.properties.length - most} more`));
              }
            }
            picture.setAttribute('width', 40 + perRow * (width + gap));
            picture.setAttribute('height', y + tallest + 20);
            window.onresize = null;
            main.replaceChildren(
              el('div', { class: 'bar' }, el('h2', {}, 'Classes'), el('span', { class: 'dim' }, 'solid: a link, dashed: a collection of links')),
              el('div', { class: 'diagram' }, picture));
          }

          function show() {
            let parts = [];
            try { parts = location.hash.slice(2).split('/').map(decodeURIComponent); } catch { /* no address of ours */ }
            const c = classes.get(parts[0]);
            showNavigation(c ? c.name : null);
            if (c) showClass(c, parts[1]); else showDiagram();
          }

          document.title = data.file;
          document.getElementById('file').textContent = data.file;
          document.getElementById('facts').textContent =
            `version ${data.version}, format ${data.format}`
            + (data.schemaVersion === null ? '' : `, schema version ${data.schemaVersion}`)
            + `, ${data.classes.length} class${data.classes.length === 1 ? '' : 'es'}, up to ${data.limit.toLocaleString('en')} objects of each`;
          window.addEventListener('hashchange', show);
          show();
        })();

        """#
}
