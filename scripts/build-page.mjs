/** Builds the pages of `ralph web` and `ralph report`: each is one file with its script and its style in it. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const STYLES = ['base.css', 'run.css'];
/** What may be loaded before anything is shown, in bytes of gzip. */
const MAX_WEB_SCRIPT = 45_000;

/**
 * Writes `page/web.html`, `page/report.html` and for each the hashes of what stands in it (`page/web.json`: `{script, style}`), by which a content security policy lets it run.
 *
 * @param {(options: object) => Promise<import('rolldown').RolldownBuild>} rolldown
 * @param {string} root the project
 * @param {string} outDir where what is built goes
 * @returns {Promise<object[]>} what the bundler says of each script
 */
export async function buildPages(rolldown, root, outDir) {
  const folder = join(outDir, 'page');
  mkdirSync(folder, { recursive: true });
  const style = STYLES.map((name) => readFileSync(join(root, 'src/web-page/style', name), 'utf8'))
    .join('')
    .replace(/\n\s*/g, '\n');
  const outputs = [];
  for (const name of ['web', 'report']) {
    const output = await bundleScript(rolldown, root, name);
    const script = output.code.replaceAll('</script', '<\\/script');
    if (name === 'web' && gzipSync(script, { level: 9 }).length > MAX_WEB_SCRIPT)
      throw new Error(`build: the script of the page is larger than ${MAX_WEB_SCRIPT} bytes of gzip`);
    const policy = name === 'web' ? '' : toPolicyTag(script, style);
    writeFileSync(join(folder, `${name}.html`), toPage(script, style, policy));
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ script: [toHash(script)], style: [toHash(style)] })}\n`);
    outputs.push(output);
  }
  return outputs;
}

async function bundleScript(rolldown, root, name) {
  const build = await rolldown({
    cwd: root,
    input: { [name]: `src/web-page/${name}.tsx` },
    platform: 'browser',
    treeshake: {
      moduleSideEffects: (id) =>
        id.startsWith(join(root, 'src')) && !/[\\/]web-page[\\/](?:web|report)\.tsx$/.test(id) ? false : undefined,
    },
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' }, define: { RALPH_VERSION: '""' } },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false, minify: true });
  await build.close();
  const [script] = output;
  if (script.imports.length > 0) throw new Error(`build: the page ${name} imports ${script.imports.join(', ')}`);
  return script;
}

/** A page without a server has nobody else who says that nothing but its own script runs, and nothing is loaded. */
function toPolicyTag(script, style) {
  const policy = `default-src 'none'; script-src '${toHash(script)}'; style-src '${toHash(style)}'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
  return `\n<meta name="generator" content="ralph report">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}

function toHash(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Of a report the data follows in the place of its comment, in an element that no browser runs. */
function toPage(script, style, policy) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">${policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Ralph</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<!-- data -->
<script type="module">${script}</script>
</body>
</html>
`;
}
