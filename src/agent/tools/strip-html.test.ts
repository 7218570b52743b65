import { expect, it } from 'vitest';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { stripUnread, toPlainText } from './strip-html.ts';

const PLACE = new URL('https://example.org/docs/');

it.each([
  ['a<script>b</script>c', 'ac'],
  ['a<SCRIPT type="x">b</ScRiPt >c', 'ac'],
  ['a<!-- b --><p>c', 'a<p>c'],
  ['a<script>b', 'a'],
  ['a<!-- b', 'a'],
  ['<scripty>a</scripty>', '<scripty>a</scripty>'],
  ['<header>a</header>', '<header>a</header>'],
  ['İ<style>b</style>c', 'İc'],
])('takes out of %j what nobody reads', (html, kept) => {
  expect(stripUnread(html)).toBe(kept);
});

it('makes plain text with the lines of the page', () => {
  expect(toPlainText('<h1>A &amp; B</h1><p>one<br>two &#x41;&#66; &unknown;</p><ul><li>x<li>y</ul>')).toBe(
    'A & B\n\none\ntwo AB &unknown;\n\nx\ny',
  );
});

it('makes Markdown with whole links, and pictures in words', async () => {
  const html =
    '<title>T</title><h2>Head</h2><p>See <a href="../x?a=1">this</a>, <b>now</b>.</p><img src="data:x" alt="a cat"><pre><code>let x</code></pre>';
  const markdown = await htmlToMarkdown(html, PLACE);
  expect(markdown).toContain('# T\n\n## Head');
  expect(markdown).toContain('[this](https://example.org/x?a=1), **now**.');
  expect(markdown).toContain('[picture: a cat]');
  expect(markdown).toContain('```\nlet x\n```');
  expect(markdown).not.toContain('data:');
});

it('reads a page that is too deep as plain text', async () => {
  expect(await htmlToMarkdown(`${'<div>'.repeat(5000)}<p>at the bottom</p>`, PLACE)).toBe('at the bottom');
});
