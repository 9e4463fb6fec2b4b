import { execFile } from 'node:child_process'
import type { RunProgram } from './service-manager.ts'

/** Time limit in ms. */
const LIMIT_MS = 20_000

/** Runs a program without a shell. `ok` is false if it is missing, fails or hangs. */
export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: LIMIT_MS, windowsHide: true }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: error === null ? stdout : stderr.trim() || error.message })
    })
  })
