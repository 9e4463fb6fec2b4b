/** Whether the system refused: the file is gone, or not ours to read. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
