import { expect, test } from 'vitest';
import { codeBlock, withoutOptionalEnds } from './html.js';

test('a list and a table lose the end tags that they do not need', () => {
  const html = '<ul>\n<li>one</li>\n</ul><table><tbody><tr><td>a</td><td>b</td></tr></tbody></table><p>text</p>';

  expect(withoutOptionalEnds(html)).toBe('<ul>\n<li>one\n</ul><table><tbody><tr><td>a<td>b</table><p>text</p>');
});

test('code keeps its end tags', () => {
  const code = codeBlock('<ul><li>one</li></ul>');

  expect(withoutOptionalEnds(code)).toBe(code);
});
