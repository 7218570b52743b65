import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageFolder } from '../../config/layers/package-files.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import { tryOr } from '../../core/values/result.ts';

export interface CodeLine {
  readonly code: string;
  /** `error`, `warning`, an exit code, …, as the page says it. */
  readonly kind: string;
  readonly meaning: string;
  /** What to do about it. */
  readonly remedy: string;
}

const PAGE = /^([a-z0-9-]+)\.md$/;
/** A row of the tables in docs/errors.md: code, kind, meaning, remedy. */
const ROW = /^\| `([a-z0-9-]+)` \| (.*?) \| (.*?) \| (.*?) \|$/;

/** The page of a code; `null` for one that has none. */
export function readRulePage(code: string): string | null {
  const name = `${code}.md`;
  return PAGE.test(name) ? readDoc(join('rules', name)) : null;
}

/** Every code that has a page of its own. */
export function listRulePages(): readonly string[] {
  return tryOr(() => {
    const names = readdirSync(join(findPackageFolder(), 'docs', 'rules'));
    return names.flatMap((name) => PAGE.exec(name)?.[1] ?? []).sort();
  }, []);
}

/** Every code of findings and errors, as the page of errors lists them. */
export function listCodes(): readonly CodeLine[] {
  const rows = (readDoc('errors.md') ?? '').split('\n').flatMap((line) => {
    const [, code = '', kind = '', meaning = '', remedy = ''] = ROW.exec(line) ?? [];
    return code === '' ? [] : [{ code, kind, meaning, remedy }];
  });
  return rows.sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** A page of the documentation, which comes with the package. */
function readDoc(name: string): string | null {
  try {
    return readFileSync(join(findPackageFolder(), 'docs', name), 'utf8').replaceAll('\r\n', '\n');
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
