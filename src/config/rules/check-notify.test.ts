import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, loadSettings } from '../config-fixtures.ts';

function load(notify: string) {
  return inFolder({}, (cwd) => {
    writeFileSync(join(cwd, 'ralph.yml'), `notify: ${notify}\n`);
    return loadSettings({ cwd, prompt: 'optional', env: { SAMPLE_SECRET: 'sample-value' } });
  });
}

const findings = (notify: string) =>
  load(notify)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`);

describe('whom a run tells its news', () => {
  it('is a command alone, and the same written out', () => {
    for (const notify of ['say done', '{command: say done}']) {
      const { settings } = load(notify);
      expect([settings?.notify, settings?.news]).toEqual(['say done', undefined]);
    }
  });

  it('is an address, with a secret from the environment and what it is about', () => {
    const { settings } = load(`{url: "https://example.org/x", secret: "\${SAMPLE_SECRET}", on: near_limit}`);
    expect([settings?.notify, settings?.news]).toEqual([
      null,
      { url: 'https://example.org/x', secret: 'sample-value', on: ['near_limit'] },
    ]);
    expect(load('{url: "http://localhost:1"}').settings?.news).toEqual({
      url: 'http://localhost:1',
      secret: null,
      on: ['needs_you', 'parked', 'ended'],
    });
  });

  it.each([
    ['{on: [ended]}', 'notify-invalid `notify` says neither a command nor an address.'],
    ['{url: "ftp://example.org"}', 'notify-invalid `notify.url` is no address that can be told anything.'],
    ['{url: "https://me:pass@example.org"}', 'notify-invalid `notify.url` is no address that can be told anything.'],
    ['{url: somewhere}', 'notify-invalid `notify.url` is no address that can be told anything.'],
    ['{command: a, secret: b}', 'notify-invalid `notify.secret` signs what an address gets, and there is none.'],
    ['{command: a, on: [end]}', expect.stringMatching(/^choice-unknown /)],
    ['{command: a, on: []}', expect.stringMatching(/^type-invalid /)],
  ])('is refused where nobody would get them: %s', (notify, said) => {
    expect(findings(notify)).toEqual([said]);
  });

  it('shows no login of an address', () => {
    expect(JSON.stringify(load('{url: "https://me:hunter22@example.org"}').diagnostics)).not.toContain('hunter22');
  });
});
