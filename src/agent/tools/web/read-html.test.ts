import { expect, it } from 'vitest';
import { htmlToMarkdown, readHtml } from './read-html.ts';

const PLACE = new URL('https://example.org/docs/');

it.each([
  ['a<script>b</script>c', 'ac'],
  ['a<SCRIPT type="x">b</ScRiPt >c', 'ac'],
  ['a<script>if (1 < 2) "</p>"</script>c', 'ac'],
  ['a<!-- b --><p>c', 'a<p>c'],
  ['a<!-- <b> --!>c', 'ac'],
  ['a<!-->c', 'ac'],
  ['a<script>b', 'a'],
  ['a<!-- b', 'a'],
  ['a<svg><svg></svg>b</svg>c', 'ac'],
  ['a<svg width="1"/>c', 'ac'],
  ['a<iframe src=">">b</iframe>c', 'ac'],
  ['<scripty>a</scripty>', '<scripty>a</scripty>'],
  ['<header>a</header>', '<header>a</header>'],
  ['İ<style>b</style>c', 'İc'],
])('takes out of %j what nobody reads', async (html, kept) => {
  expect((await readHtml(html)).body).toBe(kept);
});

it('makes plain text with the lines of the page', async () => {
  const { text } = await readHtml('<h1>A &amp; B</h1><p>one<br>two &#x41;&#66; &unknown; &eacute;</p><ul><li>x<li>y</ul>');
  expect(text).toBe('A & B\n\none\ntwo AB &unknown; é\n\nx\ny');
});

it('takes a sign for a text where no tag begins', async () => {
  expect((await readHtml('<p>1 < 2, 3 > 2</p><p title="a > b">c</p>')).text).toBe('1 < 2, 3 > 2\n\nc');
});

it('reads a page whose head has no end', async () => {
  const { title, text } = await readHtml('<head><title>One &amp; two</title><meta charset=utf-8><p>three<svg><title>four</title></svg>');
  expect({ title, text }).toEqual({ title: 'One & two', text: 'three' });
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
