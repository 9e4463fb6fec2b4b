import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedPackage } from './fetched-package.ts'

const programIn = (name: string, file: string) => (modules: string) => {
  const program = join(modules, name, file)
  return existsSync(program) ? program : null
}
const CONFORMANCE = '@modelcontextprotocol/conformance'
const INSPECTOR = '@modelcontextprotocol/inspector'

/** The protocol's own suite of scenarios, and its inspector, which judges how portable a list of tools is. */
export const MCP_CONFORMANCE = fetchedPackage(CONFORMANCE, '0.2.0-alpha.12', programIn(CONFORMANCE, 'dist/index.js'))
export const MCP_INSPECTOR = fetchedPackage(
  INSPECTOR,
  '2.12.0',
  programIn(INSPECTOR, 'clients/launcher/build/index.js'),
)

/** Runs one of them to its end, whatever it says. */
export function runSuite(
  program: string,
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { timeout: 100_000, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, stdout, stderr }),
    )
  })
}
