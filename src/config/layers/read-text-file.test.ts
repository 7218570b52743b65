import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, refusalOf } from '../config-fixtures.ts';
import { readConfig } from '../load-config.ts';
import { readTextFile } from './read-text-file.ts';

/** A configuration in a folder with a pipe `p.fifo`, to which nobody writes: who reads it waits for ever. */
function load(yaml: string) {
  return inFolder({ 'ralph.yml': yaml }, (cwd) => {
    execFileSync('mkfifo', [join(cwd, 'p.fifo')]);
    const { diagnostics, requirePrompt } = readConfig({ cwd });
    return { findings: diagnostics.map(({ code, message }) => `${code}: ${message}`), refusal: refusalOf(requirePrompt) };
  });
}

describe('a pipe that a configuration names', () => {
  it.each([
    ['hats: {a: {import: ./p.fifo}}', 'import-missing: The hat in "./p.fifo" cannot be read: it is no regular file.'],
    ['ralph: {instructions_file: p.fifo}', 'instructions-file: The instructions in "p.fifo" cannot be used: it is no regular file.'],
    ['event_loop: {prompt_file: p.fifo}', 'prompt-file-missing: The prompt file "p.fifo" is no regular file.'],
  ])('is a finding, and never waited for: %s', (yaml, finding) => {
    expect(load(yaml).findings).toContain(finding);
  });

  it('is no prompt, and what moves it away is told', () => {
    const { refusal } = load('event_loop: {prompt_file: p.fifo}');
    expect(refusal).toMatchObject({
      code: 'prompt-unreadable',
      exitCode: 2,
      fix: expect.stringMatching(/^Move it away: mv p\.fifo p\.fifo\.old\n/),
    });
    expect(refusal.why).toContain('regular file');
  });

  it('is read where a person named it', () => {
    expect(readTextFile('/dev/null', 10, 'any')).toEqual({ ok: true, value: '' });
    expect(readTextFile('/dev/null', 10)).toMatchObject({ ok: false, refused: { kind: 'special' } });
  });
});
