/** Lines of shell by kind. */
export const KINDS: Readonly<Record<string, string>>;
/** Those that only a control group tells of. */
export const HIDING_KINDS: Readonly<Record<string, string>>;

/** A word that no other process has among its arguments. */
export function newMark(): string;

/** The script of an agent that starts these, says so by the file `there` in the directory, and works on. */
export function agentScript(lines: readonly string[], mark: string, directory: string): string;

/** Living processes with the mark among their arguments. */
export function processesWith(mark: string): number[];
