import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/main/base/app-files.ts'

const BUILT = join(packageRoot(), 'out/main')
/** What a build finds above its code. */
const ABOVE = ['package.json', 'resources', 'node_modules']

/** Copies of the build that ships in one folder, of which one at a time is installed at a place that stays the same. */
export class InstalledBuilds {
  readonly #folder: string
  /** The command line of the build that is installed. */
  readonly entry: string

  constructor(folder: string) {
    this.#folder = folder
    this.entry = join(folder, 'installed/out/main/aspy.js')
  }

  /** Copies the build, with so many migrations after its own. */
  add(name: string, migrations = 0): void {
    const [build, code] = [join(this.#folder, name), join(this.#folder, name, 'out/main')]
    mkdirSync(build)
    for (const part of ABOVE) symlinkSync(join(packageRoot(), part), join(build, part))
    cpSync(BUILT, code, { recursive: true, filter: (path) => !path.endsWith('.map') })
    const latest = Math.max(...readdirSync(join(code, 'migrations')).map((file) => Number.parseInt(file, 10)))
    for (let more = 1; more <= migrations; more += 1)
      writeFileSync(join(code, `migrations/${latest + more}.sql`), `CREATE TABLE added_${more} (id INTEGER) STRICT;\n`)
  }

  /** Puts a build in the place of the one before, as an update does. */
  install(name: string): void {
    symlinkSync(name, join(this.#folder, 'next'))
    renameSync(join(this.#folder, 'next'), join(this.#folder, 'installed'))
  }
}
