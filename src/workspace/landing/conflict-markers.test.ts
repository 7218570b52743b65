import { expect, it } from 'vitest';
import { listMarkers } from './conflict-markers.ts';

const LABELS = ['HEAD', '1a2b3c'];
const listLines = (text: string): readonly string[] => listMarkers(text, LABELS).map(({ line }) => line);

it('a conflict as git marks it is found line by line, also with Windows line ends, longer marks and the common ancestor', () => {
  const text = '<<<<<<< HEAD\nours\n||||||| base\nold\n=======\ntheirs\n>>>>>>> 1a2b3c\n';
  const marks = ['<<<<<<< HEAD', '||||||| base', '=======', '>>>>>>> 1a2b3c'];
  expect(listLines(text)).toEqual(marks);
  expect(listLines(text.replaceAll('\n', '\r\n'))).toEqual(marks);
  expect(listLines('<<<<<<<<<< HEAD\n')).toEqual(['<<<<<<<<<< HEAD']);
});

it('a mark is known for one of this merge by the name of its side', () => {
  expect(listMarkers('<<<<<<< HEAD\n>>>>>>> 1a2b3c\n<<<<<<< mine\n=======\n', LABELS).map(({ isLabelled }) => isLabelled)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('what only resembles a mark is none: within a line, shorter, longer, without a space', () => {
  expect(listLines(' <<<<<<< HEAD\n<<<<<< HEAD\n========\n======\n>>>>>>>x\na ======= b\n')).toEqual([]);
});
