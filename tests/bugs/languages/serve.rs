// SPDX-License-Identifier: GPL-2.0-only

// A web server in Rust on tokio, of which each path but / is a bug of its own: see languages.py.
#![allow(non_snake_case)]

use std::collections::{BTreeMap, HashMap};
use std::env::args;
use std::fs::{File, OpenOptions};
use std::future::{pending, Future};
use std::hint::black_box;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::pin::Pin;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

type Order = oneshot::Sender<u8>;
type Kind = fn(&'static Shared) -> Pin<Box<dyn Future<Output = usize> + Send>>;

struct Shared {
    ledger: Mutex<Vec<usize>>,
    account: tokio::sync::Mutex<usize>,
    orders: mpsc::UnboundedSender<Order>,
    never: Condvar,
    flag: AtomicBool,
    words: String,
    peer: String,
    folder: String,
}

#[inline(never)]
fn usual(shared: &Shared) -> usize {
    let _held = shared.ledger.lock().unwrap();
    (0..20000).fold(0, |sum: usize, i| black_box(sum.wrapping_add(i * i)))
}

#[inline(never)]
fn countWords(shared: &Shared) -> usize {
    let mut n = 0;
    for _ in 0..60 {
        n += black_box(&shared.words).chars().filter(|c| *c == ' ').count();
    }
    n
}

#[inline(never)]
fn matchRules(shared: &Shared) -> usize {
    (0..400).filter(|i| black_box(&shared.words).contains(&format!("dog{} ", i))).count()
}

#[inline(never)]
fn packReport(_: &Shared) -> usize {
    let mut rows = String::new();
    for i in 0..9000 {
        let row: BTreeMap<&str, usize> = [("a", i), ("b", i * 2), ("c", i * 3)].into_iter().collect();
        rows.push_str(&format!("{:?},", row));
    }
    rows.len()
}

#[inline(never)]
fn sortPrices(_: &Shared) -> usize {
    let mut list: Vec<String> = (0..20000).map(|i| (i * 7919 % 40009).to_string()).collect();
    list.sort();
    list.len()
}

// Holds the lock while it sleeps; others wait for it, and the thread serves nobody.
#[inline(never)]
fn writeLedger(shared: &Shared) -> usize {
    let held = shared.ledger.lock().unwrap();
    thread::sleep(Duration::from_millis(20));
    held.len()
}

// Blocks the thread that runs other tasks as well.
#[inline(never)]
fn blockWorker(_: &Shared) -> usize {
    thread::sleep(Duration::from_millis(20));
    0
}

async fn takeNap(_: &Shared) -> usize {
    tokio::time::sleep(Duration::from_millis(20)).await;
    0
}

// A lock of tasks, held over a wait.
async fn bookOrder(shared: &Shared) -> usize {
    let mut held = shared.account.lock().await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    *held += 1;
    *held
}

#[inline(never)]
fn readPages(_: &Shared) -> usize {
    (0..400).map(|_| std::fs::read("/etc/passwd").map_or(0, |page| page.len())).sum()
}

#[inline(never)]
fn runHook(_: &Shared) -> usize {
    Command::new("sleep").arg("0.02").status().map_or(0, |_| 1)
}

async fn askPeer(shared: &Shared) -> usize {
    let mut answer = [0; 10];
    match TcpStream::connect(&shared.peer).await {
        Ok(mut peer) => {
            let _ = peer.write_all(b"slow\n").await;
            peer.read(&mut answer).await.unwrap_or(0)
        }
        Err(_) => 0,
    }
}

#[inline(never)]
fn makeCopies(shared: &Shared) -> usize {
    (0..200).map(|_| black_box(shared.words.to_uppercase()).len()).take(40).sum()
}

#[inline(never)]
fn saveNote(shared: &Shared) -> usize {
    let mut file = File::create(format!("{}/note", shared.folder)).unwrap();
    for _ in 0..20 {
        let _ = file.write_all(b"note\n");
        let _ = file.sync_all();
    }
    0
}

async fn askPacker(shared: &Shared) -> usize {
    let (send, answer) = oneshot::channel();
    let _ = shared.orders.send(send);
    answer.await.map_or(0, |one| one as usize)
}

async fn packOrders(mut orders: mpsc::UnboundedReceiver<Order>) {
    while let Some(answer) = orders.recv().await {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let _ = answer.send(b'x');
    }
}

#[inline(never)]
fn hashPart() -> usize {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for i in 0..10000 {
        *seen.entry(format!("part {}", i % 777)).or_insert(0) += i;
    }
    seen.len()
}

async fn hashParts(_: &Shared) -> usize {
    let parts: Vec<_> = (0..4).map(|_| tokio::task::spawn_blocking(hashPart)).collect();
    let mut n = 0;
    for part in parts {
        n += part.await.unwrap_or(0);
    }
    n
}

#[inline(never)]
fn findVisit(shared: &Shared) -> usize {
    let mut visits = shared.ledger.lock().unwrap();
    for i in 0..400 {
        visits.push(i);
    }
    visits.iter().position(|visit| black_box(*visit) > 1000).unwrap_or(0)
}

#[inline(never)]
fn readJournal(shared: &Shared) -> usize {
    let _held = shared.ledger.lock().unwrap();
    let mut journal =
        OpenOptions::new().create(true).read(true).append(true).open(format!("{}/journal", shared.folder)).unwrap();
    let _ = journal.write_all("a visit\n".repeat(20).as_bytes());
    let _ = journal.seek(SeekFrom::Start(0));
    BufReader::new(journal).lines().count()
}

#[inline(never)]
fn takeLock(_: &Shared) -> usize {
    let lock = Mutex::new(0);
    let held = lock.lock().unwrap();
    let again = lock.lock().unwrap();
    *held + *again
}

async fn waitAnswer(_: &Shared) -> usize {
    pending::<usize>().await
}

#[inline(never)]
fn waitGroup(shared: &Shared) -> usize {
    let lock = Mutex::new(0);
    let held = shared.never.wait(lock.lock().unwrap()).unwrap();
    *held
}

#[inline(never)]
fn waitChild(_: &Shared) -> usize {
    Command::new("sleep").arg("1000").status().map_or(0, |_| 1)
}

async fn readPeer(shared: &Shared) -> usize {
    let mut answer = [0; 10];
    match TcpStream::connect(&shared.peer).await {
        Ok(mut peer) => {
            let _ = peer.write_all(b"never\n").await;
            peer.read(&mut answer).await.unwrap_or(0)
        }
        Err(_) => 0,
    }
}

#[inline(never)]
fn spinOn(shared: &Shared) -> usize {
    while !shared.flag.load(Ordering::Relaxed) {}
    0
}

#[inline(never)]
fn awaitFlag(shared: &Shared) -> usize {
    while !shared.flag.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(20));
    }
    0
}

#[inline(never)]
fn readFifo(shared: &Shared) -> usize {
    let name = format!("{}/fifo", shared.folder);
    let _ = Command::new("mkfifo").arg(&name).status();
    File::open(name).map_or(0, |_| 1)
}

macro_rules! at_once {
    ($($name:ident)*) => { vec![$((stringify!($name), (|shared| Box::pin(async { $name(shared) })) as Kind)),*] };
}

macro_rules! awaits {
    ($($name:ident)*) => { vec![$((stringify!($name), (|shared| Box::pin($name(shared))) as Kind)),*] };
}

async fn serve(mut client: TcpStream, shared: &'static Shared, kinds: &'static HashMap<&'static str, Kind>) {
    let mut text = [0; 4096];
    while let Ok(bytes) = client.read(&mut text).await {
        if bytes == 0 {
            return;
        }
        let mut n = usual(shared);
        let path = String::from_utf8_lossy(&text[5..bytes]).split(' ').next().unwrap_or("").to_string();
        if let Some(kind) = kinds.get(path.as_str()) {
            n += kind(shared).await;
        }
        let body = format!("{}\n", n);
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.len(), body);
        if client.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

#[tokio::main]
async fn main() {
    let given: Vec<String> = args().collect();
    let (orders, to_pack) = mpsc::unbounded_channel();
    let shared: &'static Shared = Box::leak(Box::new(Shared {
        ledger: Mutex::new(Vec::new()),
        account: tokio::sync::Mutex::new(0),
        orders,
        never: Condvar::new(),
        flag: AtomicBool::new(false),
        words: "the quick brown fox jumps over the lazy dog ".repeat(3000),
        peer: given[2].clone(),
        folder: given[3].clone(),
    }));
    let kinds: &'static HashMap<&'static str, Kind> = Box::leak(Box::new(
        at_once!(countWords matchRules packReport sortPrices writeLedger blockWorker readPages runHook makeCopies saveNote
                 findVisit readJournal takeLock waitGroup waitChild spinOn awaitFlag readFifo)
        .into_iter()
        .chain(awaits!(takeNap bookOrder askPeer askPacker hashParts waitAnswer readPeer))
        .collect(),
    ));
    tokio::spawn(packOrders(to_pack));
    let listener = TcpListener::bind(format!("127.0.0.1:{}", given[1])).await.unwrap();
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(serve(client, shared, kinds));
    }
}
