import { type ConfigReport, isValid } from '../validation/index.ts';
import { checkObject } from './check-arguments.ts';
import { type ConfigSource, isTeamConfig, loadConfig, type TeamConfig } from './load-config.ts';

/**
 * What `ralph validate --format json` says of one configuration. Lines and columns count from 1.
 *
 * @param config a loaded configuration, or where to load one from
 * @param options `strict`: warnings count as errors for `valid`
 * @throws RalphError as {@link loadConfig} does
 */
export function validate(config: TeamConfig | ConfigSource = {}, options: { readonly strict?: boolean } = {}): ConfigReport {
  checkObject(options, 'The options of `validate`', { strict: 'flag' });
  const { file, coordination, diagnostics } = isTeamConfig(config) ? config : loadConfig(config);
  return { file, valid: isValid(diagnostics, options.strict ?? false), coordination, diagnostics };
}
