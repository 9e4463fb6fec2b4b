import { createProxy } from '../../../src/main/proxy/proxy.ts'

/** Entry point of a child process: a proxy to the upstream in argv that prints its port. */
const quiet = () => undefined
const upstream = new URL(process.argv[2] ?? '')
const proxy = createProxy({ port: 0, upstream, tap: null, logger: { debug: quiet, warn: quiet } })
process.stdout.write(`${(await proxy.listen()).port}\n`)
