import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { readSettings, writeSettings } from './run-settings.ts';

function createPath(): string {
  return join(createTemporaryFolder(), 'settings.json');
}

describe('the settings of a run', () => {
  it('are read as they were written, by their owner alone', () => {
    const path = createPath();
    writeSettings(fs, path, { a: 1 });
    writeSettings(fs, path, { a: 2, list: [null, 'ü'] });
    expect(readSettings(fs, path)).toEqual({ a: 2, list: [null, 'ü'] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['settings.json']);
  });

  it('are written although a crash left half of them behind', () => {
    const path = createPath();
    writeFileSync(`${path}.tmp`, '{"a":');
    writeSettings(fs, path, { a: 1 });
    expect(readSettings(fs, path)).toEqual({ a: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that are missing or broken are explained', () => {
    const path = createPath();
    expect(() => readSettings(fs, path)).toThrow(
      expect.objectContaining({ code: 'run-settings-unreadable', message: expect.stringContaining('missing') }),
    );
    writeFileSync(path, '{"a":');
    expect(() => readSettings(fs, path)).toThrow(expect.objectContaining({ code: 'run-settings-unreadable' }));
  });
});
