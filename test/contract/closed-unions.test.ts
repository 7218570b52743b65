import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './markdown-pages.ts';

/**
 * A union that grows: where it is written, a member that nobody knows, and the files that must not compile until they handle it: tables that lack it by name
 * (`tables`), and functions that end without an answer to it (`switches`).
 */
interface GrowingUnion {
  readonly file: string;
  readonly begins: string;
  readonly member: string;
  /** What stands before a member. */
  readonly lead?: string;
  readonly tables: readonly string[];
  readonly switches: readonly string[];
}

const UNIONS: Readonly<Record<string, GrowingUnion>> = {
  'an input': {
    file: 'src/core/run/inputs.ts',
    begins: 'export type Input =\n',
    member: "{ readonly type: 'made-up-input'; readonly at: number }",
    tables: [
      'src/cli/live/run-lines.ts',
      'src/core/run/inputs.ts',
      'src/core/run/kinds-fixtures.ts',
      'src/loop/decide/decide.ts',
      'src/loop/shell/run-loop.ts',
      'src/testing/read-run-facts.ts',
      'src/views/fold/fold-live-view.ts',
      'src/views/fold/take-records.ts',
    ],
    switches: ['src/loop/shell/redact-input.ts'],
  },
  'an effect': {
    file: 'src/core/run/effects.ts',
    begins: 'export type Effect =\n',
    member: "{ readonly type: 'made-up-effect' }",
    tables: [
      'src/cli/live/run-lines.ts',
      'src/core/run/kinds-fixtures.ts',
      'src/loop/shell/performer.ts',
      'src/simulate/simulate-run.ts',
      'src/testing/read-run-facts.ts',
      'src/views/fold/fold-events.ts',
      'src/views/fold/fold-graph.ts',
      'src/views/fold/fold-live-view.ts',
      'src/views/fold/take-records.ts',
    ],
    switches: [],
  },
  'a record': {
    file: 'src/core/run/run-record.ts',
    begins: 'export type RunRecord =\n',
    member: "{ readonly kind: 'made-up-record' }",
    tables: [
      'src/cli/live/text-printer.ts',
      'src/library/record-stream.ts',
      'src/views/fold/fold-run-view.ts',
      'src/views/frame/run-history.ts',
      'src/views/report/ndjson-record.ts',
    ],
    switches: ['src/views/fold/fold-live-view.ts'],
  },
  "an agent's event": {
    file: 'src/core/backends/backend-event.ts',
    begins: 'export type BackendEvent =\n',
    member: "{ readonly type: 'made-up-event' }",
    tables: ['src/cli/live/text-printer.ts', 'src/panel/run/panel-backend.ts', 'src/views/fold/fold-live-view.ts'],
    switches: ['src/library/record-stream.ts'],
  },
  'an end reason': {
    file: 'src/core/run/end-reasons.ts',
    begins: 'export type EndReason =\n',
    member: "'made-up-reason'",
    tables: ['src/core/run/end-reasons.ts', 'src/queue/queue-plan.ts'],
    switches: ['src/planning/plan-resume.ts', 'src/simulate/create-report.ts'],
  },
  'an agent CLI': {
    file: 'src/core/backends/backend-spec.ts',
    begins: 'export const AGENT_CLIS = {\n',
    lead: '',
    member: "'made-up-cli': { costs: 'nothing', login: '', isVerified: false },",
    tables: ['src/backends/clis.ts'],
    switches: [],
  },
  'a cause of a refusal': {
    file: 'src/core/run/effects.ts',
    begins: 'export type RejectionCause =\n',
    member: "'made-up-cause'",
    tables: [],
    switches: ['src/views/report/evidence.ts'],
  },
};

const COPY = mkdtempSync(join(tmpdir(), 'ralph-unions-'));
let errors: readonly string[] = [];

beforeAll(() => {
  cpSync(join(ROOT, 'src'), join(COPY, 'src'), { recursive: true, filter: (path) => !/\.test\.ts$/.test(path) });
  cpSync(join(ROOT, 'package.json'), join(COPY, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as { readonly compilerOptions: object };
  const options = { ...compilerOptions, incremental: false, tsBuildInfoFile: undefined };
  writeFileSync(join(COPY, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }));
  for (const { file, begins, lead = '| ', member } of Object.values(UNIONS)) {
    const text = readFileSync(join(COPY, file), 'utf8');
    expect(text, `${file} is a plain union, a member a line`).toContain(`${begins}  ${lead}`);
    writeFileSync(join(COPY, file), text.replace(begins, `${begins}  ${lead}${member}\n`));
  }
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc'), '-p', COPY], {
    encoding: 'utf8',
    cwd: COPY,
  });
  errors = stdout.split('\n').filter((line) => / error TS\d+: /.test(line));
}, 120_000);

afterAll(() => rmSync(COPY, { recursive: true, force: true }));

const listFiles = (pattern: RegExp): readonly string[] =>
  [...new Set(errors.filter((line) => pattern.test(line)).map((line) => line.split('(')[0] as string))].sort();

const toName = ({ member }: GrowingUnion): string => /made-up-\w+/.exec(member)?.[0] as string;

describe('a member that nobody handles does not compile', () => {
  it.each(Object.entries(UNIONS))('%s is missed by name in each of its tables', (_, union) => {
    expect(listFiles(new RegExp(toName(union)))).toEqual(union.tables);
  });

  it('and each function that must have an answer to every member ends without one', () => {
    const switches = Object.values(UNIONS).flatMap((union) => union.switches);
    expect(listFiles(/ error TS2366: /)).toEqual([...switches].sort());
  });
});
