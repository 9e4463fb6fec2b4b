/** True if the system refused access: the file is missing, or we may not read it. */
export const isFileError = (error: unknown): boolean => error instanceof Error && 'code' in error && 'syscall' in error

/** Says that no client of ours wrote a file, and why we think so. */
export class NotATranscript extends Error {}
