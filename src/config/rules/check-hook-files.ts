import { resolve } from 'node:path';
import { quote } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  type LocatedScalar,
  type LocatedValue,
  type Path,
  readAt,
  toDiagnostic,
  toShownPlace,
} from '../findings/located.ts';
import { isFile } from '../layers/read-text-file.ts';
import type { RuleInput } from './rule.ts';

/** A path of a file beside the configuration, with the name of one of its functions perhaps: `./hooks/audit.mjs#check`. */
const HOOK_PATH = /^(?<file>\.{1,2}\/[^\s#$]+|\/[^\s#$]+)(?:#[\w$]+)?$/;

/**
 * The files of hooks are there (`hooks: {PreToolUse: [{handler: ./audit.mjs}]}`, or `{override, hooks: […]}` for an event). A handler that is no path
 * names no file: dotted names of Python, command lines, programs of PATH. This version checks the files and runs no hooks.
 */
export function checkHookFiles(input: RuleInput): readonly Diagnostic[] {
  const owners: readonly (readonly [Path, string | null])[] = [
    [['hooks'], null],
    [['ralph', 'hooks'], null],
    ...(input.hatIds ?? []).map((id) => [['hats', id, 'hooks'], id] as const),
  ];
  return owners.flatMap(([path, hat]) =>
    listHandlers(readAt(input.root, path)).flatMap((handler) => {
      const file = HOOK_PATH.exec(String(handler.value))?.groups?.['file'];
      if (file === undefined || isFile(resolve(handler.place.file.folder, file))) return [];
      return [toFinding(handler, file, hat)];
    }),
  );
}

/** The handlers of all events, each a text. */
function listHandlers(hooks: LocatedValue | undefined): readonly LocatedScalar[] {
  if (hooks?.kind !== 'map') return [];
  return [...hooks.entries.values()].flatMap(({ value }) => {
    const list = value.kind === 'map' ? value.entries.get('hooks')?.value : value;
    if (list?.kind !== 'list') return [];
    return list.items.flatMap((item) => {
      if (item.kind !== 'map') return [];
      const handler = item.entries.get('handler')?.value ?? item.entries.get('command')?.value;
      const isOff = item.entries.get('enabled')?.value;
      if (isOff?.kind === 'scalar' && isOff.value === false) return [];
      return handler?.kind === 'scalar' && typeof handler.value === 'string' ? [handler] : [];
    });
  });
}

function toFinding(handler: LocatedScalar, file: string, hat: string | null): Diagnostic {
  return toDiagnostic(toShownPlace({ key: handler.place, value: handler }), {
    code: 'hook-file-missing',
    severity: 'error',
    message: `The hook ${quote(String(handler.value))} has no file: ${quote(file)} is not there.`,
    why: 'A hook that cannot be started checks nothing, or refuses everything.',
    fix: 'Correct the path; it counts from the folder of this configuration file. Or remove the hook.',
    ...(hat === null ? {} : { hats: [hat] }),
  });
}
