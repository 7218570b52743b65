import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createTemporaryFolder, toInput } from './fixtures.ts';
import { followJournal } from './follow-journal.ts';
import { toJournalLine } from './journal-line.ts';
import { openJsonlJournal } from './jsonl-journal.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';

/** Follows a journal and collects the numbers of the entries it is told. */
function follow(path: string, fromBytes = 0, system = fs) {
  const controller = new AbortController();
  const seen: number[] = [];
  const ended = followJournal({ fs: system, path }, fromBytes, (entry) => seen.push(entry.seq), controller.signal);
  return { seen, ended, stop: () => controller.abort() };
}

function createPath(): string {
  return join(createTemporaryFolder(), 'journal.jsonl');
}

describe('following a journal', () => {
  it('tells what is there at once, then what is written, and ends when it is told to', async () => {
    const path = createPath();
    const { journal } = openJsonlJournal({ fs, path });
    journal.append(toInput(1));
    const { seen, ended, stop } = follow(path);
    expect(seen).toEqual([1]);
    for (let number = 2; number <= 20; number += 1) journal.append(toInput(number));
    await vi.waitFor(() => expect(seen).toHaveLength(20));
    stop();
    await ended;
    journal.append(toInput(21));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('sees what no watch tells', async () => {
    const path = createPath();
    const noWatch = () => {
      throw new Error('ENOSPC: no watches left');
    };
    const { seen, ended, stop } = follow(path, 0, { ...fs, watch: noWatch });
    writeFileSync(path, toJournalLine(1, toInput(1)));
    await vi.waitFor(() => expect(seen).toEqual([1]));
    stop();
    await ended;
  });

  it('begins at a byte and waits for a line that is being written', async () => {
    const path = createPath();
    const [first, second] = [toJournalLine(1, toInput(1)), toJournalLine(2, toInput(2))];
    writeFileSync(path, Buffer.concat([first, second.subarray(0, 20)]));
    const { seen, ended, stop } = follow(path, first.length);
    expect(seen).toEqual([]);
    appendFileSync(path, second.subarray(20));
    await vi.waitFor(() => expect(seen).toEqual([2]));
    stop();
    await ended;
  });

  it('goes on when damage was cut off and the run went on', async () => {
    const path = createPath();
    const first = toJournalLine(1, toInput(1));
    writeFileSync(path, Buffer.concat([first, Buffer.from('damage that stays\n')]));
    const { seen, ended, stop } = follow(path);
    truncateSync(path, first.length);
    appendFileSync(path, toJournalLine(2, toInput(2)));
    await vi.waitFor(() => expect(seen).toEqual([1, 2]));
    stop();
    await ended;
  });

  it('ends with the error of whoever listens', async () => {
    const path = createPath();
    writeFileSync(path, toJournalLine(1, toInput(1)));
    const listen = () => {
      throw new Error('the screen is gone');
    };
    await expect(followJournal({ fs, path }, 0, listen, new AbortController().signal)).rejects.toThrow('the screen is gone');
  });

  it('tells nothing after it was ended by its listener', async () => {
    const path = createPath();
    writeFileSync(path, Buffer.concat([toJournalLine(1, toInput(1)), toJournalLine(2, toInput(2))]));
    const controller = new AbortController();
    const seen: number[] = [];
    const listen = ({ seq }: { seq: number }) => {
      seen.push(seq);
      controller.abort();
    };
    await followJournal({ fs, path }, 0, listen, controller.signal);
    expect(seen).toEqual([1]);
  });
});
