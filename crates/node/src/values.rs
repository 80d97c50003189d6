//! JavaScript values: the few Node-API functions Millrace uses, behind safe names.
//!
//! Every pointer here comes from Node for the duration of one call on the environment's own thread,
//! which makes the `unsafe` below sound. The types are neither `Send` nor valid after the call,
//! except [`Pinned`], which holds a strong reference.
#![allow(unsafe_code)]

use millrace_core::Error;
use millrace_core::allocate::try_with_capacity;
use millrace_request::bytes::Window;
use napi_sys as sys;
use std::ffi::{CString, c_void};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;

/// The most arguments of a native function.
pub(crate) const ARGUMENTS: usize = 6;

/// A native function: its arguments in, a JavaScript value out.
pub(crate) type Function<State> = fn(&Call<'_, State>) -> Value;

/// A JavaScript value, alive until the native call that holds it returns.
#[derive(Copy, Clone)]
#[repr(transparent)]
pub(crate) struct Value(sys::napi_value);

impl Value {
    /// `undefined`: Node reads NULL so.
    pub(crate) const NOTHING: Value = Value(ptr::null_mut());

    pub(crate) fn raw(self) -> sys::napi_value {
        self.0
    }
}

/// The engine's environment, usable on its own thread.
#[derive(Copy, Clone)]
pub(crate) struct Env(sys::napi_env);

/// One call from JavaScript: the environment's state and the arguments. Missing arguments are
/// `undefined`.
pub(crate) struct Call<'a, State> {
    pub(crate) env: Env,
    pub(crate) state: &'a Rc<State>,
    // Left where Node wrote them: a move would read pairs of values that were just written one by
    // one, which the CPU cannot forward from its store buffer.
    arguments: &'a [Value; ARGUMENTS],
}

impl<State> Call<'_, State> {
    /// Returns the argument at `index`, below [`ARGUMENTS`].
    pub(crate) fn argument(&self, index: usize) -> Value {
        self.arguments[index]
    }

    /// Returns the bytes of a typed array argument; `None` for any other.
    pub(crate) fn bytes(&self, index: usize) -> Option<Window> {
        self.env.bytes(&self.arguments[index])
    }

    /// Returns the bytes of a Uint8Array argument, `None` for any other; 5 ns faster than `bytes`,
    /// because it does not read the kind. Of a typed array with wider elements it returns the first
    /// bytes only.
    pub(crate) fn uint8_array(&self, index: usize) -> Option<Window> {
        let (data, length) = self.env.elements(self.argument(index), ptr::null_mut())?;
        // SAFETY: V8 reports at least `length` bytes at `data`; `bytes` says how long they are
        // valid.
        Some(unsafe { Window::new(data, length) })
    }

    pub(crate) fn uint32(&self, index: usize) -> Option<u32> {
        let (env, value) = (self.env.0, self.argument(index).0);
        // SAFETY: env and value belong to the current call; a value of another type gives an error
        // status.
        written(0, |number| unsafe { sys::napi_get_value_uint32(env, value, number) })
    }

    pub(crate) fn double(&self, index: usize) -> Option<f64> {
        let (env, value) = (self.env.0, self.argument(index).0);
        // SAFETY: as above.
        written(0.0, |number| unsafe { sys::napi_get_value_double(env, value, number) })
    }
}

impl Env {
    /// # Safety
    /// `raw` must be the live environment of the current thread.
    pub(crate) unsafe fn from_raw(raw: sys::napi_env) -> Env {
        Env(raw)
    }

    pub(crate) fn raw(self) -> sys::napi_env {
        self.0
    }

    /// Returns the current memory of a typed array. An empty or detached one gives an empty window,
    /// whatever its pointer (NULL since Node 13).
    ///
    /// Node-API counts elements. Those of a Uint8Array are bytes; for any other kind the view is
    /// asked, as V8 gets new kinds (Float16Array), of which older Node-APIs write no number.
    pub(crate) fn bytes(&self, value: &Value) -> Option<Window> {
        let mut kind = sys::TypedarrayType::int8_array;
        let (data, length) = self.elements(*value, &mut kind)?;
        let size = if kind == sys::TypedarrayType::uint8_array {
            length
        } else {
            // Copies of both would be kept for this call, which costs all others 4 instructions.
            black_box(self).size_of_array(black_box(value))?
        };
        // SAFETY: V8 reports `size` bytes at `data`; `bytes` says how long they are valid.
        Some(unsafe { Window::new(data, size) })
    }

    /// Returns the size in bytes of a value that is known to be a typed array: Node aborts on
    /// others.
    #[cold]
    fn size_of_array(&self, array: &Value) -> Option<usize> {
        let data = ptr::null_mut();
        // SAFETY: env and value belong to the current call; NULL asks for the size only.
        written(0, |size| unsafe { sys::napi_get_buffer_info(self.0, array.0, data, size) })
    }

    /// Returns address and number of a typed array's elements; `None` for any other value.
    fn elements(
        self,
        value: Value,
        kind: *mut sys::napi_typedarray_type,
    ) -> Option<(*mut u8, usize)> {
        let (mut length, mut data) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let none = ptr::null_mut();
        // SAFETY: env and value belong to the current call; `kind` is NULL or a place for one; what
        // is not a typed array gives an error status.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.0,
                value.0,
                kind,
                length.as_mut_ptr(),
                data.as_mut_ptr(),
                none,
                ptr::null_mut(),
            )
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        // SAFETY: napi_ok means that both were written.
        let (data, length): (*mut c_void, usize) =
            unsafe { (data.assume_init(), length.assume_init()) };
        Some((data.cast(), length))
    }

    /// Returns the memory of `count` typed arrays in an array, from index `start` on; `None` if one
    /// is not a typed array.
    ///
    /// # Errors
    /// [`Error::Memory`] when memory for the windows is short.
    pub(crate) fn bytes_of_each(
        self,
        array: Value,
        start: u32,
        count: u32,
    ) -> Result<Option<Vec<Window>>, Error> {
        /// V8 keeps a handle for each element until the scope ends.
        const SCOPE: u32 = 256;
        let Some(end) = start.checked_add(count) else { return Ok(None) };
        let mut windows = try_with_capacity(count as usize)?;
        for first in (start..end).step_by(SCOPE as usize) {
            self.scoped(|| {
                windows.extend((first..end.min(first.saturating_add(SCOPE))).map_while(|index| {
                    // SAFETY: env and array belong to the current call; what is not an object gives
                    // an error status.
                    let element = written(ptr::null_mut(), |place| unsafe {
                        sys::napi_get_element(self.0, array.0, index, place)
                    });
                    self.bytes(&Value(element?))
                }));
            });
        }
        Ok((windows.len() == count as usize).then_some(windows))
    }

    /// Reports a change of the bytes outside of the heap that JavaScript objects hold to the
    /// garbage collector.
    pub(crate) fn adjust_external_memory(self, change: i64) {
        let mut total = 0;
        // SAFETY: env belongs to the current call; the sum is written to a local.
        unsafe { sys::napi_adjust_external_memory(self.0, change, &mut total) };
    }

    pub(crate) fn number(self, number: u32) -> Value {
        // SAFETY: env belongs to the current call.
        self.make(|result| unsafe { sys::napi_create_uint32(self.0, number, result) })
    }

    pub(crate) fn double(self, number: f64) -> Value {
        // SAFETY: env belongs to the current call.
        self.make(|result| unsafe { sys::napi_create_double(self.0, number, result) })
    }

    /// Returns a string of ASCII text, the fastest to create (20 to 35 ns for 64 characters).
    pub(crate) fn ascii(self, text: &[u8]) -> Value {
        // SAFETY: pointer and length describe `text`, which V8 copies.
        self.make(|result| unsafe {
            sys::napi_create_string_latin1(
                self.0,
                text.as_ptr().cast(),
                text.len() as isize,
                result,
            )
        })
    }

    pub(crate) fn utf8(self, text: &str) -> Value {
        // SAFETY: pointer and length describe `text`, which V8 copies.
        self.make(|result| unsafe {
            sys::napi_create_string_utf8(self.0, text.as_ptr().cast(), text.len() as isize, result)
        })
    }

    /// Returns an unsigned BigInt of 64-bit words, least significant first. One word takes 7 ns in
    /// a function without exception handling, 22 in the general one.
    pub(crate) fn bigint(self, words: &[u64]) -> Value {
        if let &[word] = words {
            // SAFETY: env belongs to the current call.
            return self
                .make(|result| unsafe { sys::napi_create_bigint_uint64(self.0, word, result) });
        }
        // SAFETY: pointer and count describe `words`, which V8 copies.
        self.make(|result| unsafe {
            sys::napi_create_bigint_words(self.0, 0, words.len(), words.as_ptr(), result)
        })
    }

    /// Returns the number of 64-bit words of a BigInt's magnitude; `None` for any other value.
    pub(crate) fn bigint_size(self, value: Value) -> Option<usize> {
        let none = ptr::null_mut();
        // SAFETY: env and value belong to the current call; NULL for sign and words asks for the
        // count only.
        written(0, |count| unsafe {
            sys::napi_get_value_bigint_words(self.0, value.0, ptr::null_mut(), count, none)
        })
    }

    /// Writes the least significant words of a BigInt's magnitude and returns their number; `None`
    /// for any other value.
    pub(crate) fn bigint_words(self, value: Value, words: &mut [u64]) -> Option<usize> {
        let (mut sign, room) = (0, words.len());
        // SAFETY: env and value belong to the current call; `count` tells how many words fit.
        let count = written(room, |count| unsafe {
            let words = words.as_mut_ptr();
            sys::napi_get_value_bigint_words(self.0, value.0, &mut sign, count, words)
        });
        Some(count?.min(room))
    }

    fn make(self, create: impl FnOnce(&mut sys::napi_value) -> sys::napi_status) -> Value {
        let mut result = ptr::null_mut();
        // A failed creation (short memory, termination) leaves NULL, which Node reads as
        // `undefined`.
        let _ = create(&mut result);
        Value(result)
    }

    /// Calls a JavaScript function. An exception it throws stays pending for Node to report.
    pub(crate) fn call(self, function: Value, argument: Value) {
        let mut this = ptr::null_mut();
        // SAFETY: env and values belong to the current call; one argument is passed and one
        // announced.
        unsafe {
            if sys::napi_get_undefined(self.0, &mut this) == sys::Status::napi_ok {
                sys::napi_call_function(self.0, this, function.0, 1, &argument.0, ptr::null_mut());
            }
        }
    }

    pub(crate) fn is_function(self, value: Value) -> bool {
        // SAFETY: env and value belong to the current call.
        let kind = written(0, |kind| unsafe { sys::napi_typeof(self.0, value.0, kind) });
        kind == Some(sys::ValueType::napi_function)
    }

    /// Keeps a value alive until the environment ends.
    pub(crate) fn pin(self, value: Value) -> Option<Pinned> {
        // SAFETY: env and value belong to the current call.
        written(ptr::null_mut(), |reference| unsafe {
            sys::napi_create_reference(self.0, value.0, 1, reference)
        })
        .map(Pinned)
    }

    pub(crate) fn pinned(self, pinned: &Pinned) -> Option<Value> {
        // SAFETY: the reference was made in this environment and is never deleted before its end.
        let value = written(ptr::null_mut(), |value| unsafe {
            sys::napi_get_reference_value(self.0, pinned.0, value)
        });
        value.filter(|value| !value.is_null()).map(Value)
    }

    /// Runs `work` in a new handle scope, for callbacks that Node calls without one.
    pub(crate) fn scoped(self, work: impl FnOnce()) {
        let mut scope = ptr::null_mut();
        // SAFETY: env is live on this thread; the scope opened here is the one closed here.
        unsafe {
            if sys::napi_open_handle_scope(self.0, &mut scope) == sys::Status::napi_ok {
                work();
                sys::napi_close_handle_scope(self.0, scope);
            }
        }
    }

    fn throw(self, message: &str) {
        let message = CString::new(message).unwrap_or_default();
        // SAFETY: env is live on this thread and the message ends in NUL.
        unsafe { sys::napi_throw_error(self.0, c"ERR_INTERNAL".as_ptr(), message.as_ptr()) };
    }
}

/// Returns what `write` makes of `initial`; `None` if it fails.
#[inline(always)]
fn written<T>(initial: T, write: impl FnOnce(&mut T) -> sys::napi_status) -> Option<T> {
    let mut place = initial;
    (write(&mut place) == sys::Status::napi_ok).then_some(place)
}

/// A strong reference to a JavaScript value, for use in the environment that created it. It is
/// never deleted: the environment frees its references when it ends.
#[derive(Debug)]
pub(crate) struct Pinned(sys::napi_ref);

/// The data pointer of a native function: free to read, unlike `napi_get_instance_data`.
pub(crate) struct Entry<State> {
    state: Rc<State>,
    run: Function<State>,
}

/// Adds the functions to `exports`. Returns their entries.
///
/// # Safety
/// Must be called during module registration with the values Node passed. The entries must live
/// until no JavaScript can run in the environment any more.
pub(crate) unsafe fn define<State>(
    env: Env,
    exports: sys::napi_value,
    state: &Rc<State>,
    functions: &[(&str, Function<State>)],
) -> Rc<[Entry<State>]> {
    let entry = |&(_, run): &(_, Function<State>)| Entry { state: Rc::clone(state), run };
    let entries: Rc<[Entry<State>]> = functions.iter().map(entry).collect();
    for (entry, (name, _)) in entries.iter().zip(functions) {
        let key = CString::new(*name).unwrap_or_default();
        // SAFETY: `env` and `exports` are those of the registration in progress; the name ends in
        // NUL; `entry` outlives the function, as the caller guarantees.
        let function = env.make(|function| unsafe {
            sys::napi_create_function(
                env.0,
                key.as_ptr(),
                name.len() as isize,
                Some(enter::<State>),
                ptr::from_ref(entry).cast_mut().cast(),
                function,
            )
        });
        // SAFETY: as above; NULL, after a failure, gives an error status.
        unsafe { sys::napi_set_named_property(env.0, exports, key.as_ptr(), function.0) };
    }
    entries
}

/// Enters a native function from JavaScript. A panic becomes an exception: it must not unwind into
/// C++.
extern "C" fn enter<State>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut arguments = [Value::NOTHING; ARGUMENTS];
    let (mut count, mut data) = (ARGUMENTS, ptr::null_mut());
    // SAFETY: Node passes its own env and info; `count` tells how many arguments fit.
    let status = unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &mut count,
            arguments.as_mut_ptr().cast(),
            ptr::null_mut(),
            &mut data,
        )
    };
    if status != sys::Status::napi_ok || data.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: `data` is the entry `define` gave to this function, alive while functions can be
    // called.
    let entry = unsafe { &*data.cast::<Entry<State>>() };
    let env = Env(env);
    let call = Call { env, state: &entry.state, arguments: &arguments };
    match catch_unwind(AssertUnwindSafe(|| (entry.run)(&call))) {
        Ok(value) => value.0,
        Err(_) => {
            env.throw("internal error: please report it");
            ptr::null_mut()
        }
    }
}
