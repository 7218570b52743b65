import { resolve } from 'node:path';
import { CONFIG_FILE_NAMES, type ReadText, readTextFile, type TextFile } from '../../config/index.ts';
import type { CliContext } from '../cli-context.ts';
import { toLocalClock } from '../local-time.ts';
import { checkTarget, type Target, type ValidateFlags } from './check-files.ts';
import { printRefusals } from './print-refusals.ts';
import { printReport, toSummary } from './print-report.ts';
import { createFileWatcher } from './watch-files.ts';

/** Editors write in several steps; for so long nothing may happen before the files are read. */
const SETTLE_MS = 10;

/** What was read for a check, by absolute path. */
type Readings = Map<string, string>;

/** Checks now and whenever a file that took part is saved, until Ctrl+C; the result is the exit code. */
export function watchTargets(context: CliContext, targets: readonly Target[], flags: ValidateFlags): Promise<number> {
  return new Promise((done, fail) => {
    let timer: NodeJS.Timeout | null = null;
    const settle = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(check, SETTLE_MS);
    };
    const watcher = createFileWatcher(settle);
    const reporter = createReporter(context, targets, flags);
    const stop = (): void => {
      for (const [signal, listener] of listeners) context.signals.off(signal, listener);
      if (timer !== null) clearTimeout(timer);
      watcher.close();
    };
    const check = (): void => {
      timer = null;
      const listen = (paths: Iterable<string>): void => {
        if (watcher.follow(paths)) settle();
      };
      reporter(listen).catch((error: unknown) => {
        stop();
        fail(error);
      });
    };
    const endWith = (exitCode: number) => (): void => {
      stop();
      done(exitCode);
    };
    const listeners = [
      ['SIGINT', endWith(130)],
      ['SIGTERM', endWith(143)],
      ['SIGHUP', endWith(129)],
    ] as const;
    for (const [signal, listener] of listeners) context.signals.on(signal, listener);
    check();
  });
}

/** Checks and prints what is new; `listen` is told which files took part. */
function createReporter(
  context: CliContext,
  targets: readonly Target[],
  flags: ValidateFlags,
): (listen: (paths: Iterable<string>) => void) => Promise<void> {
  let texts = '';
  let shown = '';
  return async (listen) => {
    const readings: Readings = new Map(CONFIG_FILE_NAMES.map((name) => [resolve(context.cwd, name), '']));
    const checked = targets.map((target) => checkTarget({ ...target, request: { ...target.request, readText: createRecorder(readings) } }));
    listen(readings.keys());
    const before = { texts, shown };
    texts = JSON.stringify([...readings]);
    shown = JSON.stringify(checked.map((target) => target.checked.diagnostics));
    if (texts === before.texts && shown === before.shown) return;
    if (flags.format !== 'human') return printReport(context, checked, flags);
    const { style, out } = context.terminal;
    const time = style('faint', toLocalClock(context.now()));
    if (shown === before.shown) {
      for (const target of checked) out(`${time} ${toSummary(target, style, flags.strict === true)}, as before\n`);
      return;
    }
    out(`${time}\n`);
    printRefusals(context, checked);
    await printReport(context, checked, flags);
  };
}

function createRecorder(readings: Readings): ReadText {
  return (path, maxBytes, kind) => {
    const file = readTextFile(path, maxBytes, kind);
    readings.set(resolve(path), toFingerprint(file));
    return file;
  };
}

function toFingerprint(file: TextFile): string {
  return 'text' in file ? file.text : `\0${file.fault}`;
}
