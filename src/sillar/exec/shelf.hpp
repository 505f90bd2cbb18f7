// Objects that are costly to make, kept between uses and handed to one user at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sillar::exec {

/// As many objects as were ever in use at once. Safe from many threads.
template <class T>
class Shelf {
 public:
  /// `make` gives a new object where none is free.
  explicit Shelf(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  /// An object of the shelf, back on it at the end of the loan. The shelf must outlive its loans.
  class Loan {
   public:
    explicit Loan(Shelf& shelf) : shelf_(shelf), object_(shelf.take()) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { shelf_.give_back(std::move(object_)); }

    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    Shelf& shelf_;
    std::unique_ptr<T> object_;
  };

  [[nodiscard]] Loan borrow() { return Loan(*this); }

 private:
  std::unique_ptr<T> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        auto object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make_();
  }

  void give_back(std::unique_ptr<T> object) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(object));
  }

  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace sillar::exec
