import { resolve } from 'node:path';
import type { Diagnostic } from './diagnostic.ts';
import { findPlace, type LocatedMap, type Path, readAt } from './located-value.ts';
import { type ReadText, readTextFile } from './read-text-file.ts';
import type { Declared } from './settings-table.ts';
import { showReference } from './show-reference.ts';
import { toDiagnostic } from './source-file.ts';
import { toRecord } from './to-record.ts';
import { quote } from './value-finding.ts';

/** The instructions of everybody: their own words and those of their file; empty where there are none. */
export interface Instructions {
  readonly ralph: string;
  readonly hats: Readonly<Record<string, string>>;
  readonly diagnostics: readonly Diagnostic[];
}

interface Written {
  readonly instructions?: string;
  readonly instructions_file?: string;
}

const MAX_BYTES = 1_000_000;

/** Reads all `instructions_file`s, each relative to the folder of the configuration file that names it. */
export function readInstructions(declared: Declared, root: LocatedMap, readText: ReadText = readTextFile): Instructions {
  const diagnostics: Diagnostic[] = [];
  const read = (written: Written, path: Path): string => {
    const file = written.instructions_file === undefined ? '' : readFile(written.instructions_file, { root, path, diagnostics, readText });
    return [written.instructions ?? '', file]
      .map((text) => text.trimEnd())
      .filter((text) => text !== '')
      .join('\n\n');
  };
  const hats = toRecord(Object.entries(declared.hats ?? {}).map(([id, hat]) => [id, read(hat, ['hats', id])] as const));
  return { ralph: read(declared.ralph ?? {}, ['ralph']), hats, diagnostics };
}

interface Reading {
  readonly root: LocatedMap;
  readonly path: Path;
  readonly diagnostics: Diagnostic[];
  readonly readText: ReadText;
}

function readFile(name: string, { root, path, diagnostics, readText }: Reading): string {
  const place = findPlace(root, [...path, 'instructions_file']);
  const file = readText(resolve(place.file.folder, name), MAX_BYTES);
  if ('text' in file && !file.text.includes('\0')) return file.text;
  const message = 'text' in file ? 'it is no text' : file.message;
  const finding = {
    code: 'instructions-file',
    severity: 'error',
    message: `The instructions in ${quote(name)} cannot be used: ${message}.`,
    why: 'The agent would not know what it is for.',
    fix: 'Correct the path (relative to the configuration file), or write the text under `instructions:`.',
  } as const;
  diagnostics.push(toDiagnostic(place, showReference(finding, readAt(root, [...path, 'instructions_file']))));
  return '';
}
