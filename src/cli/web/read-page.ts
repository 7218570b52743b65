import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';
import { type Json, parseJson, toJsonObject } from '../../core/values/json.ts';
import type { WebPage } from '../../web-server/served-runs.ts';

/**
 * The page as the build has made it: `dist/page/web.html`, and in `web.json` beside it the hashes of its script and style.
 *
 * @throws RalphError `web-page` where it has not been built
 */
export function readPage(packageFolder: string): WebPage {
  const html = readBuilt(packageFolder, 'web.html');
  const { script = null, style = null } = toJsonObject(parseJson(readBuilt(packageFolder, 'web.json')) ?? null);
  return { html, script: toHashes(script), style: toHashes(style) };
}

/** The page of a report, without its run: that goes in the place of `<!-- data -->`. Throws as {@link readPage}. */
export function readReportPage(packageFolder: string): string {
  return readBuilt(packageFolder, 'report.html');
}

function readBuilt(packageFolder: string, name: string): string {
  const folder = join(packageFolder, 'dist', 'page');
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    throw new RalphError({
      code: 'web-page',
      what: `The page cannot be read in ${folder} (${toErrorCode(error)}).`,
      why: 'It is made by the build.',
      fix: 'In a checkout: npm run build. Else install Ralph again.',
    });
  }
}

function toHashes(value: Json): readonly string[] {
  const hashes = Array.isArray(value) ? value : [];
  return hashes.filter((hash): hash is string => typeof hash === 'string' && /^sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}$/.test(hash));
}
