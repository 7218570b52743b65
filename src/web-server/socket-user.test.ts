import { expect, it } from 'vitest';
import { findSocketUsers } from './socket-user.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:125C 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1
   1: 0100007F:125C 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 112 1
   2: 0100007F:C350 0100007F:125C 01 00000000:00000000 00:00000000 00000000  1001        0 113 1
   3: 0100007F:C351 0100007F:125C 06 00000000:00000000 03:00000000 00000000     0        0 0 3
   4: 0100007F:C353 0100007F:125C 05 00000000:00000000 00:00000000 00000000  1001        0 114 1`;

it('the other end of a connection belongs to the user whom the table of the system names', () => {
  const find = (clientPort: number) => findSocketUsers({ clientPort, serverPort: 0x125c }, (name) => (name === 'tcp' ? TABLE : ''));
  expect(find(0xc350)).toEqual([1001]);
  expect(find(0xc351)).toEqual([]);
  expect(find(0xc352)).toEqual([]);
  // One that says nothing more can still read the answer.
  expect(find(0xc353)).toEqual([1001]);
});
