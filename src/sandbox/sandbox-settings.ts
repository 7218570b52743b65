/** How much of the operating system's sandbox a person wants. */
export type SandboxMode = 'auto' | 'off' | 'required';

/** `sandbox:` of a configuration. */
export interface SandboxSettings {
  /** `auto`: where it is there; `required`: a hat that it should hold does not run without it. */
  readonly mode: SandboxMode;
  /** Globs of folders, relative to the workspace, that stay writable for hats that may not write. */
  readonly scratch: readonly string[];
  /** More paths that a sandboxed agent can see: absolute, or beginning with `~/`. */
  readonly readable: readonly string[];
  readonly hasNetwork: boolean;
}
