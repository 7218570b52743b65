import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseInboxLine } from '../core/events/inbox-line.ts';
import { appendAgentLine } from './agent-line.ts';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';

describe('an event appended for an agent', () => {
  it('is one line that the inbox takes', () => {
    const path = join(createTemporaryFolder(), '.agent', 'events.jsonl');
    appendAgentLine({ fs, path }, { topic: 'a.b', payload: 'two\nlines', target: 'critic', ts: 7 });
    appendAgentLine({ fs, path }, { topic: 'c', payload: null, ts: 8 });
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toEqual(['{"topic":"a.b","payload":"two\\nlines","target":"critic","ts":7}', '{"topic":"c","payload":null,"ts":8}', '']);
    expect(parseInboxLine(lines[0] ?? '')).toMatchObject({ signal: { topic: 'a.b', payload: 'two\nlines', target: 'critic' } });
  });

  it('first closes the torn line that somebody left', () => {
    const path = join(createTemporaryFolder(), 'events.jsonl');
    writeFileSync(path, '{"topic":"to');
    appendAgentLine({ fs, path }, { topic: 'a', payload: '', ts: 1 });
    expect(readFileSync(path, 'utf8')).toBe('{"topic":"to\n{"topic":"a","payload":"","ts":1}\n');
  });

  it('leaves no open line behind when the disk is full in the middle of it', () => {
    const path = join(createTemporaryFolder(), 'events.jsonl');
    let writes = 0;
    const full = {
      ...fs,
      write: (handle: number, bytes: Uint8Array) => {
        writes += 1;
        if (writes === 1) return fs.write(handle, bytes.subarray(0, 9));
        if (writes === 2) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        return fs.write(handle, bytes);
      },
    };
    expect(() => appendAgentLine({ fs: full, path }, { topic: 'a', payload: '', ts: 1 })).toThrow('ENOSPC');
    appendAgentLine({ fs, path }, { topic: 'b', payload: '', ts: 2 });
    expect(readFileSync(path, 'utf8')).toBe('{"topic":\n{"topic":"b","payload":"","ts":2}\n');
  });

  it('is refused where a device or a pipe stands, which might be waited for without end', () => {
    expect(() => appendAgentLine({ fs, path: '/dev/null' }, { topic: 'a', payload: '', ts: 1 })).toThrow(
      expect.objectContaining({ code: 'events-file-not-a-file' }),
    );
  });
});
