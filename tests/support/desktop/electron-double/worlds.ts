/**
 * Scripts that run in the page: `mainWorld` next to the page's own code, `isolatedWorld` before the preload. They speak
 * over synchronous DOM events whose detail is text, as two worlds share a document but no objects.
 */

/** Shared by both worlds: values with functions in them, to text and back. What Electron would not clone throws. */
const codec = `
  const functions = new Map();
  let lastFunction = 0;
  function encode(value) {
    return JSON.stringify(value === undefined ? { $undefined: true } : walk(value));
  }
  function walk(value) {
    if (typeof value === 'function') { functions.set(++lastFunction, value); return { $function: lastFunction }; }
    if (typeof value === 'symbol') throw new Error('An object could not be cloned.');
    if (value === undefined) return { $undefined: true };
    if (typeof value === 'bigint') return { $bigint: String(value) };
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Date) return { $date: value.getTime() };
    if (value instanceof Error) return { $error: value.message };
    if (value instanceof Uint8Array) return { $bytes: Array.from(value) };
    if (Array.isArray(value)) return value.map(walk);
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new Error('An object could not be cloned.');
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, walk(entry)]));
  }
  function decode(text, callRemote) {
    return revive(JSON.parse(text), callRemote);
  }
  function revive(value, callRemote) {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((entry) => revive(entry, callRemote));
    if ('$undefined' in value) return undefined;
    if ('$bigint' in value) return BigInt(value.$bigint);
    if ('$date' in value) return new Date(value.$date);
    if ('$error' in value) return new Error(value.$error);
    if ('$bytes' in value) return new Uint8Array(value.$bytes);
    if ('$function' in value) return (...args) => callRemote(value.$function, args);
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, revive(entry, callRemote)]));
  }
`

/** One side of the bridge: calls go out under one event name and come in under the other. */
const side = (out: string, into: string) => `
  ${codec}
  const promises = new Map();
  let lastCall = 0;
  function tell(message) { document.dispatchEvent(new CustomEvent('${out}', { detail: JSON.stringify(message) })); }
  function callRemote(id, args) {
    const call = ++lastCall;
    let answer;
    promises.set(call, { now: (text) => { answer = text; } });
    tell({ type: 'call', id, call, args: encode(args) });
    if (answer === undefined) throw new Error('the other world did not answer');
    if (answer.type === 'throw') throw new Error(answer.message);
    if (answer.type === 'value') return decode(answer.value, callRemote);
    return new Promise((resolve, reject) => promises.set(call, { resolve, reject }));
  }
  function answerCall(message) {
    const reply = (rest) => tell({ type: 'answer', call: message.call, ...rest });
    try {
      const result = functions.get(message.id)(...decode(message.args, callRemote));
      if (result instanceof Promise) {
        reply({ kind: 'promise' });
        result.then((value) => reply({ kind: 'settled', value: encode(value) }), (error) => reply({ kind: 'rejected', message: String(error?.message ?? error) }));
      } else reply({ kind: 'value', value: encode(result) });
    } catch (error) { reply({ kind: 'throw', message: String(error?.message ?? error) }); }
  }
  document.addEventListener('${into}', (event) => {
    const message = JSON.parse(event.detail);
    if (message.type === 'call') return answerCall(message);
    if (message.type === 'expose') return expose(message);
    const caller = promises.get(message.call);
    if (message.kind === 'settled') { promises.delete(message.call); return caller.resolve(decode(message.value, callRemote)); }
    if (message.kind === 'rejected') { promises.delete(message.call); return caller.reject(new Error(message.message)); }
    caller.now({ type: message.kind === 'value' ? 'value' : message.kind, value: message.value, message: message.message });
    if (message.kind !== 'promise') promises.delete(message.call);
  });
`

/** `open` is the name of the function by which the page asks for a window; the page itself does not see it. */
export const mainWorld = (open: string) => `(() => {
  ${side('aspy-double:to-isolated', 'aspy-double:to-main')}
  const ask = window['${open}'];
  delete window['${open}'];
  window.open = (url) => { ask(new URL(url ?? 'about:blank', location.href).href); return null; };
  function expose({ key, api }) {
    Object.defineProperty(window, key, { value: Object.freeze(decode(api, callRemote)), enumerable: true });
  }
})()`

/** `BINDING` is the name of the function by which this world reaches the main process. */
export const isolatedWorld = (binding: string, preload: string) => `(() => {
  ${side('aspy-double:to-main', 'aspy-double:to-isolated')}
  function expose() { throw new Error('the page may not expose anything'); }
  const listeners = new Map();
  const invocations = new Map();
  let lastInvocation = 0;
  const post = (message) => globalThis['${binding}'](JSON.stringify(message));
  globalThis.__electronDoubleReceive = (text) => {
    const message = JSON.parse(text);
    if (message.type === 'event') {
      for (const listener of listeners.get(message.channel) ?? []) listener({ ports: [] }, ...message.args.map((arg) => decode(arg, () => { throw new Error('no functions over IPC'); })));
      return;
    }
    const { resolve, reject } = invocations.get(message.invocation);
    invocations.delete(message.invocation);
    if (message.error === undefined) resolve(decode(message.value)); else reject(new Error(message.error));
  };
  const ipcRenderer = {
    invoke: (channel, ...args) => new Promise((resolve, reject) => {
      invocations.set(++lastInvocation, { resolve, reject });
      post({ type: 'invoke', invocation: lastInvocation, channel, args: args.map(encode) });
    }),
    send: (channel, ...args) => post({ type: 'send', channel, args: args.map(encode) }),
    on: (channel, listener) => { listeners.set(channel, [...(listeners.get(channel) ?? []), listener]); return ipcRenderer; },
  };
  const contextBridge = {
    exposeInMainWorld: (key, api) => tell({ type: 'expose', key, api: encode(api) }),
  };
  const strict = (name, object) => new Proxy(object, { get(target, key) {
    if (!(key in target) && typeof key === 'string') throw new Error('electron (test double): ' + name + '.' + key + ' is not there');
    return target[key];
  } });
  const modules = { electron: { contextBridge: strict('contextBridge', contextBridge), ipcRenderer: strict('ipcRenderer', ipcRenderer) } };
  const require = (name) => { if (name in modules) return modules[name]; throw new Error('module not found: ' + name + ' (a sandboxed preload may require nothing but electron)'); };
  const module = { exports: {} };
  (function (require, module, exports) {
    ${preload}
  })(require, module, module.exports);
})()`
