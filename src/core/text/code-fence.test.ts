import { describe, expect, it } from 'vitest';
import { createFenceTracker } from './code-fence.ts';

/** The lines that stand outside of fenced blocks. */
function outside(text: string): readonly string[] {
  const fence = createFenceTracker();
  return text.split('\n').filter((line) => !fence.take(line));
}

describe('code fences', () => {
  it.each([
    ['backticks', 'a\n```\nin\n```\nb'],
    ['backticks with a language', 'a\n```ts title="x"\nin\n```\nb'],
    ['tildes', 'a\n~~~\nin\n~~~\nb'],
    ['tildes with backticks in their title', 'a\n~~~ `x`\nin\n~~~\nb'],
    ['a longer closing mark', 'a\n```\nin\n`````\nb'],
    ['an indented fence in a list', 'a\n  ```\n  in\n  ```\nb'],
    ['a fence in a list in a list', 'a\n      ```sh\n      in\n      ```\nb'],
    ['a fence that begins with its list item', 'a\n- ```js\n  in\n  ```\nb'],
    ['a fence in a numbered list', 'a\n1. ```js\n   in\n   ```\nb'],
    ['a tab before the fence', 'a\n\t```\n\tin\n\t```\nb'],
    ['a fence in a quote', 'a\n> ```\n> in\n> ```\nb'],
    ['a list in a quote', 'a\n> - ```\n>   in\n>   ```\nb'],
    ['a closing mark that is indented a little', 'a\n```\nin\n   ```\nb'],
    ['spaces after the closing mark', 'a\n```\nin\n```   \nb'],
  ])('leaves out a block with %s', (_name, text) => {
    expect(outside(text)).toEqual(['a', 'b']);
  });

  it.each([
    ['a shorter mark', '````\n```\nin\n```\n````'],
    ['the other mark', '```\n~~~\nin\n```'],
    ['a mark with words after it', '```\n``` not yet\nin\n```'],
    ['a list item with a mark', '```\n- ```\nin\n```'],
    ['a mark that is indented as code', '```\n    ```\nin\n```'],
  ])('is not closed by %s', (_name, text) => {
    expect(outside(text)).toEqual([]);
  });

  it('reaches to the end where it is never closed', () => {
    expect(outside('a\n```\nin\nin')).toEqual(['a']);
  });

  it('ends with the quote that it stands in', () => {
    expect(outside('> ```\n> in\nout\nout')).toEqual(['out', 'out']);
  });

  it('does not begin with inline code, even of three backticks', () => {
    expect(outside('```one line``` of code\nb')).toEqual(['```one line``` of code', 'b']);
  });

  it('is forgotten when another text begins', () => {
    const fence = createFenceTracker();
    fence.take('```');
    fence.reset();
    expect(fence.take('words')).toBe(false);
  });
});
