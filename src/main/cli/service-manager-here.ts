import { homedir } from 'node:os'
import { runProgram } from '../login-service/run-program.ts'
import { serviceManagerOf, type ServiceManager } from '../login-service/service-manager.ts'

/** Returns the service manager of this system and user; null if none is supported. */
export function serviceManagerHere(): ServiceManager | null {
  const { platform, env } = process
  return serviceManagerOf({ platform, env, home: homedir(), uid: process.getuid?.() ?? 0, run: runProgram })
}
