import { errorCode } from '../../shared/error-text.ts'

/** Returns whether a process exists, whoever it belongs to. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process is running but belongs to another user.
    return errorCode(error) === 'EPERM'
  }
}
