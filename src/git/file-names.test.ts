import fc from 'fast-check';
import { expect, it } from 'vitest';
import { showName } from '../core/text/file-name.ts';
import { decodeNames, encodeNames } from './file-names.ts';

const name = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);

it('leads every list of names back to the same bytes', () => {
  fc.assert(
    fc.property(fc.array(name), (names) => {
      const bytes = Buffer.concat(names.flatMap((one) => [one, Buffer.of(0)]));
      return Buffer.from(encodeNames(decodeNames(bytes))).equals(bytes);
    }),
  );
});

it('leaves a name that is UTF-8 as it is beside one that is not, and shows the other escaped', () => {
  const names = decodeNames(Buffer.concat([Buffer.from('ä.txt\0b'), Buffer.of(0xff, 0x80), Buffer.from('.txt\0')])).split('\0');
  expect(names.map(showName)).toEqual(['ä.txt', 'b\\xff\\x80.txt', '']);
});
