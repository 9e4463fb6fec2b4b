import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedPackage, fetchPackage } from '../tests/support/client/fetched-package.ts'

/** Returns the path of the Node that package.json names for a system: what npm installed, or else fetched from npm. */
export async function fetchNode(root: string, system: string, arch: string): Promise<string> {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const ending = `${system === 'win32' ? 'win' : system}-${arch}`
  const [name, version] = Object.entries(optionalDependencies).find(([each]) => each.endsWith(`-${ending}`)) ?? []
  if (name === undefined || version === undefined) throw new Error(`package.json names no Node for ${ending}`)
  const fetched = fetchedPackage(name, version, (modules) => {
    const program = join(modules, name, 'bin', system === 'win32' ? 'node.exe' : 'node')
    return existsSync(program) ? program : null
  })
  const installed = fetched.find(root)
  if (installed !== null) return installed
  const why = await fetchPackage({ ...fetched, isForeign: true })
  const program = fetched.find()
  if (program === null) throw new Error(`${name} could not be fetched from npm: ${why ?? 'it is missing'}`)
  return program
}
