import { expect, test } from 'vitest';
import { highlight } from './highlight.js';
import { renderMarkdown } from './markdown.js';

const PAGE = `# A page with \`code\`

<!-- snippet: a comment -->
Text with <b> & a [link](other.md#part).

## Part one
| | Meaning |
|---|---:|
| \`a\\|b\` | first |

## Part one
\`\`\`sh
echo "<&>" # says it
\`\`\`
`;

test('headings get the anchors that GitHub creates', () => {
  const { sections, html, title } = render(PAGE);

  expect(title).toBe('A page with code');
  expect(sections.map(({ anchor }) => anchor)).toEqual(['a-page-with-code', 'part-one', 'part-one-1']);
  expect(html).toContain('<h2 id="part-one-1">');
});

test('the index has the text of each part without markup', () => {
  const { sections } = render(PAGE);

  expect(sections.map(({ text }) => text)).toEqual([
    'Text with & a link.',
    'Meaning a|b first',
    'echo "<&>" # says it',
  ]);
});

test('text is escaped, HTML is left out, and links are resolved', () => {
  const { html } = render(PAGE);

  expect(html).toContain('Text with  &amp; a <a href="resolved:other.md#part">link</a>.');
  expect(html).not.toContain('snippet');
  expect(html).not.toContain('<b>');
  expect(html).toContain('<span class="string">&quot;&lt;&amp;&gt;&quot;</span>');
});

test('an empty cell of a header is no header', () => {
  const { html } = render(PAGE);

  expect(html).toContain('<tr><td></td><th align="right">Meaning</th></tr>');
});

test.each([
  [
    'ts',
    "const a = 'if'; // new",
    '<span class="word">const</span> a = <span class="string">\'if\'</span>; <span class="comment">// new</span>',
  ],
  ['json', '{"a": "b"}', '{<span class="word">&quot;a&quot;</span>: <span class="string">&quot;b&quot;</span>}'],
  ['sh', 'curl a#b # now', 'curl a#b <span class="comment"># now</span>'],
  ['', 'const a < b', 'const a &lt; b'],
])('marks words, strings and comments in %j', (language, code, expected) => {
  expect(highlight(code, language)).toBe(expected);
});

function render(markdown: string) {
  return renderMarkdown(markdown, (target) => `resolved:${target}`);
}

test('the text of a section leaves out cells of measured values', () => {
  const { sections } = render(
    '# Page\n\n| search | ms | status |\n|---|---|---|\n| bare | 0.12, 3.4 | 422 |\n| 2.5 ms | 97.5 % | 10 |\n',
  );

  expect(sections.map(({ text }) => text)).toEqual(['search ms status bare 422 2.5 ms 10']);
});
