/**
 * Builds dist/: the command, the two library entries and their types.
 *
 *   node scripts/build.mjs              everything
 *   node scripts/build.mjs --no-types   the code alone, in a fraction of the time
 *   node scripts/build.mjs --prepare    as npm calls it: without the development packages, a note instead of a failure
 *
 * Packages in `dependencies` and `optionalDependencies` stay imports; those in `devDependencies` are bundled, and their licences go to
 * dist/THIRD_PARTY_LICENSES.txt. Everything is built beside dist/ and swapped in at the end, so a failed build leaves the last good one.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPublishedTypes } from './published-types.mjs';
import { collectLicences } from './third-party.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');
const { version, dependencies: required = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const dependencies = { ...required, ...optionalDependencies };
/**
 * What is loaded together is in one file: at the start files cost more than what is in them. `start` is what every command but `--version` loads,
 * `check` what every command that reads a configuration does; `ralph emit` needs `topology` without it. What is imported dynamically stays out.
 */
const CHUNKS = [
  { name: 'core', test: /[\\/]src[\\/]core[\\/]/ },
  { name: 'topology', test: /[\\/]src[\\/]topology[\\/](?!rules|validate-topology)/ },
  { name: 'check', test: /[\\/]src[\\/](?:config[\\/](?!foreign[\\/]migrate)|validation[\\/]check-config|topology[\\/])/ },
  {
    name: 'start',
    test: /[\\/]src[\\/]cli[\\/](?:ask-person|cli-command|command-line|config-options|create-context|describe-error|format-option|style|terminal)\.ts$/,
  },
  { name: 'process', test: /[\\/]src[\\/](?:process|backends)[\\/]/ },
  { name: 'words', test: /[\\/]src[\\/]views[\\/](?:plain-line|words)\.ts$/ },
  { name: 'views', test: /[\\/]src[\\/](?:views[\\/](?!graph)|cli[\\/]live[\\/])/ },
  // What every run asks of the sandbox, without the sandbox; what the sandbox asks of probes, without their model server, which brings all of HTTP.
  { name: 'attach-emit', test: /[\\/]src[\\/]sandbox[\\/]attach-emit\.ts$/ },
  { name: 'probe-script', test: /[\\/]src[\\/]mock-model[\\/]probe-script\.ts$/ },
];
/** The mock model server is an entry for the tests with real agent CLIs, which run on what is built. */
const ENTRIES = { cli: 'src/cli/main.ts', index: 'src/index.ts', testing: 'src/testing/index.ts', 'mock-model': 'src/mock-model/index.ts' };
/** A third less to read at the start; names stay, so that stack traces can be read. */
const WHITESPACE_ONLY = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
/** commander loads `node:child_process` at once, for commands that are programs of their own; we have none. */
const WITHOUT_SUBPROGRAMS = {
  name: 'without-subprograms',
  resolveId: (id, importer) => (id === 'node:child_process' && /[\\/]commander[\\/]/.test(importer ?? '') ? '\0no-subprograms' : null),
  load: (id) => (id === '\0no-subprograms' ? 'export const spawn = undefined;' : null),
};
const require = createRequire(import.meta.url);

/** What is built from these entries, however it is written. */
function toInput(input, leanHash) {
  return {
    cwd: ROOT,
    input,
    platform: 'node',
    plugins: [WITHOUT_SUBPROGRAMS],
    // Importing a module of ours does nothing by itself: what is not used of a front door is not loaded with it.
    treeshake: { moduleSideEffects: (id) => (id.startsWith(SOURCES) ? false : undefined) },
    external: Object.keys(dependencies).flatMap((name) => [name, new RegExp(`^${name}/`)]),
    transform: {
      target: 'node20',
      define: {
        RALPH_VERSION: JSON.stringify(version),
        RALPH_LEAN_HASH: JSON.stringify(leanHash),
        RALPH_YAML_LIBRARY: JSON.stringify('#yaml-library'),
        RALPH_SCHEMA_LIBRARY: JSON.stringify('#schema-library'),
      },
    },
  };
}

async function bundle(outDir) {
  const { rolldown } = await import('rolldown');
  const lean = await bundleLean(rolldown, outDir);
  const hash = createHash('sha256')
    .update(readFileSync(join(outDir, 'lean.cjs')))
    .digest('hex')
    .slice(0, 16);
  const build = await rolldown(toInput(ENTRIES, hash));
  const { output } = await build.write({
    dir: outDir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: CHUNKS },
    minify: WHITESPACE_ONLY,
  });
  await build.close();
  const libraries = await bundleLibraries(rolldown, outDir);
  const modules = [...output, ...libraries, ...lean].flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(outDir, 'THIRD_PARTY_LICENSES.txt'), collectLicences(modules));
}

/** The lean commands once more, in one file that can be kept compiled (src/cli/run-lean.ts). */
async function bundleLean(rolldown, outDir) {
  const build = await rolldown(toInput({ lean: 'src/cli/lean-main.ts' }, ''));
  const { output } = await build.write({
    dir: outDir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
    minify: WHITESPACE_ONLY,
  });
  await build.close();
  escapeNonAscii(join(outDir, 'lean.cjs'));
  return output;
}

/** A source of ASCII alone is read and compiled as bytes: half the memory, and no decoding. Only texts hold anything else. */
function escapeNonAscii(file) {
  const source = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    source.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** The libraries for unusual and wrong YAML and for JSON Schema, by themselves and in the form that can be required: most calls do without. */
async function bundleLibraries(rolldown, outDir) {
  const input = { 'yaml-library': 'yaml', 'schema-library': '@cfworker/json-schema' };
  const build = await rolldown({ cwd: ROOT, input, platform: 'node', transform: { target: 'node20' } });
  const { output } = await build.write({ dir: outDir, format: 'cjs', entryFileNames: 'chunks/[name].cjs' });
  await build.close();
  return output;
}

async function emitTypes(outDir) {
  const tsc = join(require.resolve('typescript-7/package.json'), '..', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', join(outDir, 'types')]);
  checkPublishedTypes(join(outDir, 'types'), ['index.d.ts', 'testing/index.d.ts'], Object.keys(dependencies));
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with exit code ${code}`))));
  });
}

/** Resolves to false when the packages that the build needs are not there (`npm ci --omit=dev`). */
function canBuild() {
  try {
    require.resolve('rolldown');
    require.resolve('typescript');
    return true;
  } catch {
    return false;
  }
}

async function main(flags) {
  if (!canBuild()) {
    console.error('ralph: not built, the development packages are missing. Run `npm ci --include=dev`.');
    process.exitCode = flags.includes('--prepare') ? 0 : 1;
    return;
  }
  const fresh = join(ROOT, `dist.new-${process.pid}`);
  const old = join(ROOT, `dist.old-${process.pid}`);
  try {
    await Promise.all([bundle(fresh), ...(flags.includes('--no-types') ? [] : [emitTypes(fresh)])]);
    rmSync(old, { recursive: true, force: true });
    renameIfPresent(join(ROOT, 'dist'), old);
    renameSync(fresh, join(ROOT, 'dist'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

function renameIfPresent(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

await main(process.argv.slice(2));
