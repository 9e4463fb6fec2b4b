import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fetchedPackage, fetchPackage } from '../client/fetched-package.ts'

/** The versions of Node that an installation is tried on, oldest first. Node 24 installs with Aspy. */
export const NODE_VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.12.1'] as const

const SYSTEM = process.platform === 'win32' ? 'win' : process.platform

/** Returns the folder of a Node executable of this version, fetched from npm once. Throws if there is none for this system. */
export async function nodeFolder(version: string): Promise<string> {
  const name = `node-${SYSTEM}-${process.arch}`
  const wanted = fetchedPackage(name, version, (modules) => {
    const program = join(modules, name, 'bin', SYSTEM === 'win' ? 'node.exe' : 'node')
    return existsSync(program) ? program : null
  })
  const why = await fetchPackage(wanted)
  const program = wanted.find()
  if (program === null) throw new Error(`Node ${version} could not be fetched from npm: ${why ?? 'it is not there'}`)
  return dirname(program)
}
