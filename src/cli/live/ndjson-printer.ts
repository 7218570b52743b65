import { toSafeJson } from '../../core/index.ts';
import { type NdjsonRecord, toNdjsonEnd, toNdjsonRecord, toNdjsonRun, toProof } from '../../views/index.ts';
import type { Terminal } from '../terminal.ts';
import type { RunPrinter } from './run-printer.ts';

/** One JSON object a line on standard output, and nothing else there (docs/ndjson.md). */
export function createNdjsonPrinter(terminal: Terminal, now: () => number): RunPrinter {
  const print = (record: NdjsonRecord): void => terminal.out(`${toSafeJson(record)}\n`);
  return {
    showsStops: false,
    wantsFacts: false,
    begin: ({ runId, runFolder, workspace }) => print(toNdjsonRun({ runId, runFolder, workspace, version: RALPH_VERSION }, now())),
    show: (record) => print(toNdjsonRecord(record, now())),
    end: ({ runId, view, exitCode }) => {
      const { reason, detail } = view.end ?? { reason: 'storage_failed' as const, detail: '' };
      print(toNdjsonEnd({ runId, reason, detail, exitCode, proof: toProof(view) }, now()));
    },
  };
}
