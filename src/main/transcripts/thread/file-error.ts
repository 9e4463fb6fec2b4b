/** True if the system refused access: the file is missing, or we may not read it. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
