/** Names, from that directory. */
export function strayFiles(stateDirectory: string): string[];
