// GETs with Node's own fetch.

import { createInterface } from 'node:readline';

const [work, url] = process.argv.slice(2);
const size = work === 'large' ? 100_000_000 : 13;
const width = 64;

async function get() {
    const response = await fetch(url);
    const body = await response.arrayBuffer();
    if (response.status !== 200 || body.byteLength !== size) {
        throw new Error(`the server answered ${response.status} with ${body.byteLength} bytes`);
    }
}

async function each(count) {
    const times = [];
    for (let done = 0; done < count; done++) {
        const start = process.hrtime.bigint();
        await get();
        times.push(process.hrtime.bigint() - start);
    }
    return times;
}

async function together(count) {
    let left = count;
    const start = process.hrtime.bigint();
    const lane = async () => {
        while (left-- > 0) await get();
    };
    await Promise.all(Array.from({ length: width }, lane));
    return [process.hrtime.bigint() - start];
}

if (work === 'once') {
    await get();
    process.exit(0);
}
// Until the compiler has seen what is done often.
for (let done = 0; done < (work === 'large' ? 2 : 2000); done++) await get();
const run = work === 'get-64' ? together : each;
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
    console.log((await run(Number(line))).join(' '));
}
process.exit(0);
