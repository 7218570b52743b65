import { describe, expect, test } from 'vitest';
import { parseTaskList } from './parse-task-list.ts';

describe('a list of tasks', () => {
  test('in Markdown: each item is a task, with the lines that are set in further; ticked ones and other text are none', () => {
    const text = `# Tonight

Some words about it.

- [ ] Make the tests pass
  and keep the names

  - only in src
- [x] Done before
  with more of it
- [ ] Write the docs
* Mend the build
1. First number

After the list.
`;
    expect(parseTaskList(text)).toEqual([
      'Make the tests pass\nand keep the names\n\n- only in src',
      'Write the docs',
      'Mend the build',
      'First number',
    ]);
  });

  test('without an item of a list: one task a line, but for empty ones and comments', () => {
    expect(parseTaskList('\uFEFFMake it\r\n\r\n# a comment\r\n  Mend it  \n')).toEqual(['Make it', 'Mend it']);
  });

  test('whose items are all set in takes those that are set in the least', () => {
    expect(parseTaskList('  - one\n      - a part of it\n  - two')).toEqual(['one\n- a part of it', 'two']);
  });

  test('takes no item from fenced code, which belongs to the item before it, and no rule for an item', () => {
    expect(parseTaskList('```\n- no task\n```\n- one\n  ```\n- code of it\n  ```\n---\n* * *\n')).toEqual(['one\n```\n- code of it\n```']);
    expect(parseTaskList('---\nplain\n')).toEqual(['---', 'plain']);
  });

  test('in which everything is ticked, or nothing stands, has no task', () => {
    expect(parseTaskList('- [x] one\n- [X] two')).toEqual([]);
    expect(parseTaskList(' \n\n')).toEqual([]);
    expect(parseTaskList('- [ ]\n- ')).toEqual([]);
  });
});
