/** True if the system refused access: the file is missing, or we may not read it. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

/** Says that no client of ours wrote a file, and why we think so. */
export class NotATranscript extends Error {}
