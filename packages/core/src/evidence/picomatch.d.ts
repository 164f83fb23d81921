/** As much of it as devflow uses; the package brings no types. */
declare module 'picomatch' {
  interface Options {
    readonly dot?: boolean;
    readonly windows?: boolean;
    readonly nonegate?: boolean;
    readonly strictBrackets?: boolean;
    readonly debug?: boolean;
    readonly flags?: string;
    readonly strictSlashes?: boolean;
  }
  /** @throws where the pattern is none */
  export default function picomatch(
    patterns: readonly string[],
    options: Options,
  ): (path: string) => boolean;
}
