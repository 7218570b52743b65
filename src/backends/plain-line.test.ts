import { expect, it } from 'vitest';
import { toPlainLine } from './plain-line.ts';

it.each([
  ['\u001b[1;32mgreen\u001b[0m text', 'green text'],
  ['\u001b[38;2;1;2;3mx\u001b[39m', 'x'],
  ['\u001b]0;title\u0007words', 'words'],
  ['\u001b]8;;https://x.y\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b[2K\u001b[1Gdone', 'done'],
  ['\u001b(Bplain\u001b7', 'plain'],
  ['\u009b31mred', 'red'],
  ['10%\r50%\r100%', '100%'],
  ['thinking\r', 'thinking'],
  ['bell\u0007 and null\u0000', 'bell and null'],
  ['tab\tstays, ünïcode 🙂 too', 'tab\tstays, ünïcode 🙂 too'],
  ['', ''],
  [' \t ', ''],
])('%j is read as %j', (line, plain) => expect(toPlainLine(line)).toBe(plain));
